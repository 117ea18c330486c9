//! Least squares fit.

/// The line with the least squared error.
pub struct Fit {
    pub slope: f64,
    /// R²: 1 if all points are on the line.
    pub r_squared: f64,
}

impl Fit {
    pub fn line(points: &[(f64, f64)]) -> Self {
        let count = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
        let sum = |term: fn(f64, f64) -> f64| -> f64 {
            points.iter().map(|(x, y)| term(x - mean_x, y - mean_y)).sum()
        };
        let (xx, xy, yy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
        Self { slope: xy / xx, r_squared: xy * xy / (xx * yy) }
    }

    /// A fit in log–log scale, whose slope is the exponent. Ignores points with a coordinate of zero.
    pub fn power(points: &[(f64, f64)]) -> Self {
        let logarithms = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln()));
        Self::line(&logarithms.collect::<Vec<_>>())
    }
}
