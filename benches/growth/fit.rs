//! Least squares.

/// The straight line that is nearest to some points.
pub struct Fit {
    pub slope: f64,
    /// The share of what varies that the line explains: 1 if all points lie on it.
    pub explained: f64,
}

impl Fit {
    pub fn line(points: &[(f64, f64)]) -> Self {
        let count = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
        let sum =
            |of: fn(f64, f64) -> f64| -> f64 { points.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum() };
        let (xx, xy, yy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
        Self { slope: xy / xx, explained: xy * xy / (xx * yy) }
    }

    /// The power of x that y grows with is the slope. Points with nothing in them have no logarithm and are left out.
    pub fn power(points: &[(f64, f64)]) -> Self {
        let logarithms = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln()));
        Self::line(&logarithms.collect::<Vec<_>>())
    }
}
