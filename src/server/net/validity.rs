//! The validity periods of certificates and CRLs. rustls checks those of its peers, but does not report them.

use std::time::{Duration, SystemTime};

/// DER tags.
const INTEGER: u8 = 0x02;
const SEQUENCE: u8 = 0x30;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const EXPLICIT_VERSION: u8 = 0xa0;

/// When a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Validity {
    pub(super) not_before: SystemTime,
    pub(super) not_after: SystemTime,
}

impl Validity {
    /// Reads the validity period of a certificate (RFC 5280, section 4.1).
    pub(super) fn of_certificate(der: &[u8]) -> Option<Self> {
        let mut fields = Der(der).sequence()?.sequence()?;
        fields.skip_optional(EXPLICIT_VERSION);
        fields.expect(INTEGER)?;
        let _signature_algorithm = fields.sequence()?;
        let _issuer = fields.sequence()?;
        let mut validity = fields.sequence()?;
        Some(Self { not_before: validity.time()?, not_after: validity.time()? })
    }
}

/// The issuer of a CRL, and when it was and will be updated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CrlPeriod {
    /// The distinguished name in DER, without its tag and length.
    pub(super) issuer: Vec<u8>,
    pub(super) this_update: SystemTime,
    pub(super) next_update: SystemTime,
}

impl CrlPeriod {
    /// Reads the period of a CRL (RFC 5280, section 5.1).
    pub(super) fn of_crl(der: &[u8]) -> Option<Self> {
        let mut fields = Der(der).sequence()?.sequence()?;
        fields.skip_optional(INTEGER);
        let _signature_algorithm = fields.sequence()?;
        let issuer = fields.sequence()?.0.to_vec();
        Some(Self { issuer, this_update: fields.time()?, next_update: fields.time()? })
    }
}

/// An element of DER, and those after it.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The tag and the content of the next element.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        const LONG_LENGTH: u8 = 0x80;
        const MAX_LENGTH_BYTES: usize = 4;
        let (&[tag, length], rest) = self.0.split_first_chunk()?;
        let (length, rest) = if length < LONG_LENGTH {
            (usize::from(length), rest)
        } else {
            let (bytes, rest) = rest.split_at_checked(usize::from(length - LONG_LENGTH))?;
            if bytes.len() > MAX_LENGTH_BYTES {
                return None;
            }
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }

    fn expect(&mut self, expected: u8) -> Option<&'a [u8]> {
        self.next().and_then(|(tag, content)| (tag == expected).then_some(content))
    }

    /// The elements of the next element.
    fn sequence(&mut self) -> Option<Self> {
        self.expect(SEQUENCE).map(Der)
    }

    fn skip_optional(&mut self, tag: u8) {
        if self.0.first() == Some(&tag) {
            self.next();
        }
    }

    /// A time in one of the two formats of RFC 5280, section 4.1.2.5: `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`.
    fn time(&mut self) -> Option<SystemTime> {
        let (tag, text) = self.next()?;
        let digits = text.strip_suffix(b"Z").filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
        let pairs: Vec<u64> = digits
            .chunks(2)
            .map(|pair| pair.iter().fold(0, |n, digit| n * 10 + u64::from(digit - b'0')))
            .collect();
        let (year, rest) = match (tag, pairs.as_slice()) {
            (UTC_TIME, [year @ 50..=99, rest @ ..]) => (1900 + year, rest),
            (UTC_TIME, [year, rest @ ..]) => (2000 + year, rest),
            (GENERALIZED_TIME, [century, year, rest @ ..]) => (century * 100 + year, rest),
            _ => return None,
        };
        match *rest {
            [month @ 1..=12, day @ 1..=31, hour @ 0..=23, minute @ 0..=59, second @ 0..=59]
                if digits.len() % 2 == 0 =>
            {
                let days = days_since_epoch(year, month, day);
                let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
                Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
            }
            _ => None,
        }
    }
}

/// The days from 1970-01-01 to a date in the Gregorian calendar, or 0 for an earlier date.
fn days_since_epoch(year: u64, month: u64, day: u64) -> u64 {
    /// Days from 0000-03-01 to 1970-01-01.
    const EPOCH: u64 = 719_468;
    // A year that starts in March has its leap day at its end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    days.saturating_sub(EPOCH)
}

#[cfg(test)]
mod tests {
    use rcgen::{
        CertificateParams, CertificateRevocationListParams, Issuer, KeyIdMethod, KeyPair, SerialNumber,
        date_time_ymd,
    };

    use super::*;

    fn self_signed(not_before: (i32, u8, u8), not_after: (i32, u8, u8)) -> Vec<u8> {
        let mut params = CertificateParams::default();
        params.not_before = date_time_ymd(not_before.0, not_before.1, not_before.2);
        params.not_after = date_time_ymd(not_after.0, not_after.1, not_after.2);
        let key = KeyPair::generate().expect("a key can be generated");
        params.self_signed(&key).expect("the certificate can be signed").der().to_vec()
    }

    fn time(text: &str) -> SystemTime {
        humantime::parse_rfc3339(text).expect("the time is valid")
    }

    /// Parses a time in DER.
    fn parsed(tag: u8, text: &str) -> Option<SystemTime> {
        let length = u8::try_from(text.len()).expect("the text is short");
        Der(&[&[tag, length], text.as_bytes()].concat()).time()
    }

    #[test]
    fn the_validity_of_a_certificate_is_read_in_both_time_formats() {
        // UTCTime until 2049, GeneralizedTime from 2050 on.
        let certificate = self_signed((2024, 2, 29), (2050, 3, 1));
        let expected =
            Validity { not_before: time("2024-02-29T00:00:00Z"), not_after: time("2050-03-01T00:00:00Z") };
        assert_eq!(Validity::of_certificate(&certificate), Some(expected));
    }

    #[test]
    fn times_are_converted_to_seconds_since_the_epoch() {
        for (tag, text, expected) in [
            (UTC_TIME, "700101000000Z", "1970-01-01T00:00:00Z"),
            (UTC_TIME, "991231235959Z", "1999-12-31T23:59:59Z"),
            (UTC_TIME, "000229120000Z", "2000-02-29T12:00:00Z"),
            (UTC_TIME, "491231235959Z", "2049-12-31T23:59:59Z"),
            (GENERALIZED_TIME, "21000301000001Z", "2100-03-01T00:00:01Z"),
            (GENERALIZED_TIME, "99991231235959Z", "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(parsed(tag, text), Some(time(expected)), "{text}");
        }
    }

    #[test]
    fn a_date_before_1970_is_the_epoch() {
        assert_eq!(parsed(UTC_TIME, "500101000000Z"), Some(SystemTime::UNIX_EPOCH));
        assert_eq!(parsed(GENERALIZED_TIME, "00000101000000Z"), Some(SystemTime::UNIX_EPOCH));
    }

    #[test]
    fn a_malformed_time_is_refused() {
        for (tag, text) in [
            (UTC_TIME, ""),
            (UTC_TIME, "240229000000"),
            (UTC_TIME, "2402290000Z"),
            (UTC_TIME, "24022900000Z"),
            (UTC_TIME, "240229000000+0100"),
            (UTC_TIME, "241301000000Z"),
            (UTC_TIME, "240100000000Z"),
            (UTC_TIME, "240101240000Z"),
            (GENERALIZED_TIME, "20240229000000.5Z"),
            (GENERALIZED_TIME, "240229000000Z"),
            (INTEGER, "240229000000Z"),
        ] {
            assert_eq!(parsed(tag, text), None, "{text}");
        }
    }

    #[test]
    fn the_period_of_a_crl_is_read() {
        let params = CertificateRevocationListParams {
            this_update: date_time_ymd(2049, 12, 31),
            next_update: date_time_ymd(2050, 1, 7),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: Vec::new(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let key = KeyPair::generate().expect("a key can be generated");
        let crl =
            params.signed_by(&Issuer::new(CertificateParams::default(), key)).expect("the CRL can be signed");
        let period = CrlPeriod::of_crl(crl.der()).expect("the CRL is valid");
        assert_eq!(period.this_update, time("2049-12-31T00:00:00Z"));
        assert_eq!(period.next_update, time("2050-01-07T00:00:00Z"));
        let name = b"rcgen self signed cert";
        assert!(period.issuer.windows(name.len()).any(|part| part == name), "{:?}", period.issuer);
    }

    #[test]
    fn a_truncated_certificate_is_refused() {
        let certificate = self_signed((2024, 1, 1), (2025, 1, 1));
        for length in 0..certificate.len() {
            assert_eq!(Validity::of_certificate(&certificate[..length]), None, "{length} bytes");
        }
    }
}
