//! Client certificates: the CAs that may issue them, and the CRLs that revoke them.

use std::{cmp::Reverse, sync::Arc, time::SystemTime};

use humantime::format_rfc3339_seconds;
use rustls::{
    RootCertStore,
    crypto::CryptoProvider,
    pki_types::{CertificateRevocationListDer, pem::PemObject},
    server::{VerifierBuilderError, WebPkiClientVerifier, danger::ClientCertVerifier},
};

use super::{
    tls::{Content, certificates},
    validity::CrlPeriod,
};
use crate::server::reload::{ConfigFile, FileError};

/// Requires a client certificate that is signed by a trusted CA and not revoked.
pub(super) struct ClientCertificates {
    authorities: ConfigFile,
    roots: Arc<RootCertStore>,
    crls: Option<Crls>,
}

impl ClientCertificates {
    pub(super) fn new(authorities: Content<'_>, crls: Option<Content<'_>>) -> Result<Self, FileError> {
        let mut roots = RootCertStore::empty();
        for authority in certificates(authorities)? {
            roots.add(authority).map_err(|error| authorities.0.unusable(error))?;
        }
        let crls = crls.map(Crls::parse).transpose()?;
        Ok(Self { authorities: authorities.0.clone(), roots: Arc::new(roots), crls })
    }

    /// The verifier for handshakes. With CRLs, it needs one for every CA of a client's chain, and uses it even if a newer one is
    /// due: an outdated CRL still revokes what it lists, and a missed update must not disconnect every client.
    pub(super) fn verifier(
        &self,
        provider: Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ClientCertVerifier>, FileError> {
        let mut builder = WebPkiClientVerifier::builder_with_provider(self.roots.clone(), provider);
        if let Some(crls) = &self.crls {
            builder = builder.with_crls(crls.lists.iter().map(|(list, _)| list.clone()));
        }
        builder.build().map_err(|error| match (&self.crls, error) {
            (Some(crls), error @ VerifierBuilderError::InvalidCrl(_)) => crls.file.unusable(format!(
                "{error}; expected CRLs of version 2 (RFC 5280), as openssl ca -gencrl writes with a crlnumber"
            )),
            (_, error) => self.authorities.unusable(error),
        })
    }

    /// Warns about outdated and missing CRLs.
    pub(super) fn warn_about_crls(&self) {
        let Some(crls) = &self.crls else { return };
        let file = &crls.file;
        for (_, CrlPeriod { next_update, .. }) in &crls.lists {
            if SystemTime::now() > *next_update {
                let valid_until = format_rfc3339_seconds(*next_update);
                tracing::warn!(%file, %valid_until, "CRL has expired: certificates revoked since then are accepted");
            }
        }
        for (number, root) in (1..).zip(&self.roots.roots) {
            if !crls.lists.iter().any(|(_, period)| period.issuer == *root.subject) {
                let authorities = &self.authorities;
                tracing::warn!(%file, %authorities, number, "no CRL of this CA: its client certificates are rejected");
            }
        }
    }

    /// When the first CRL expires.
    pub(super) fn crl_expiry(&self) -> Option<SystemTime> {
        self.crls.iter().flat_map(|crls| &crls.lists).map(|(_, period)| period.next_update).min()
    }
}

/// Certificate revocation lists.
struct Crls {
    file: ConfigFile,
    lists: Vec<(CertificateRevocationListDer<'static>, CrlPeriod)>,
}

impl Crls {
    fn parse((file, pem): Content<'_>) -> Result<Self, FileError> {
        const EXPECTED: &str = "expected PEM CRLs (-----BEGIN X509 CRL-----)";
        let mut lists = Vec::new();
        for (number, crl) in (1..).zip(CertificateRevocationListDer::pem_slice_iter(pem)) {
            let crl = crl.map_err(|error| file.unusable(format!("{EXPECTED}: {error}")))?;
            let period = CrlPeriod::of_crl(&crl)
                .ok_or_else(|| file.unusable(format!("CRL {number} is malformed, or has no nextUpdate")))?;
            lists.push((crl, period));
        }
        if lists.is_empty() {
            let why = "found none; to convert a DER file: openssl crl -inform DER -in crl.der -out crl.pem";
            return Err(file.unusable(format!("{EXPECTED}, {why}")));
        }
        // The verifier uses the first CRL of a CA.
        lists.sort_by_key(|(_, period)| Reverse(period.this_update));
        Ok(Self { file: file.clone(), lists })
    }
}
