//! TLS and client certificates.

use std::{
    io,
    sync::Arc,
    time::{Duration, SystemTime},
};

use humantime::format_rfc3339_seconds;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::{client_certificates::ClientCertificates, validity::Validity};
use crate::{
    config::Security,
    server::reload::{ConfigFile, FileError, Reloaded, watch},
};

/// The server logs a warning about a certificate that expires within this time. The alert `ArbiterCertificateExpiring` has the
/// same threshold.
const EXPIRY_WARNING: Duration = Duration::from_hours(14 * 24);

/// The TLS configuration, reloaded when its files change.
#[derive(Clone, Debug)]
pub(in crate::server) struct Tls(Reloaded<TlsConfig>);

/// The configuration from one version of the files.
#[derive(Debug)]
struct TlsConfig {
    rustls: Arc<ServerConfig>,
    /// When the first certificate of the server's chain expires.
    expiry: SystemTime,
    /// When the first CRL for client certificates expires.
    crl_expiry: Option<SystemTime>,
}

impl Tls {
    /// Reads the files. None: TLS is not configured. Must be called within a runtime.
    pub(in crate::server) fn load(security: &Security) -> Result<Option<Self>, FileError> {
        let (Some(certificate), Some(key)) = (&security.tls_cert, &security.tls_key) else {
            return Ok(None);
        };
        let certificate = ConfigFile::new("--tls-cert", certificate);
        let key = ConfigFile::new("--tls-key", key);
        let authorities =
            security.tls_client_ca.as_ref().map(|path| ConfigFile::new("--tls-client-ca", path));
        let crls = security.tls_client_crl.as_ref().map(|path| ConfigFile::new("--tls-client-crl", path));
        let config = match (authorities, crls) {
            (None, _) => {
                let files = [certificate.clone(), key.clone()];
                watch(files, "TLS certificate", move |[chain, secret]| {
                    configure((&certificate, chain), (&key, secret), None)
                })?
            }
            (Some(authorities), None) => {
                let files = [certificate.clone(), key.clone(), authorities.clone()];
                watch(files, "TLS certificates", move |[chain, secret, trusted]| {
                    let clients = ClientCertificates::new((&authorities, trusted), None)?;
                    configure((&certificate, chain), (&key, secret), Some(clients))
                })?
            }
            (Some(authorities), Some(crls)) => {
                let files = [certificate.clone(), key.clone(), authorities.clone(), crls.clone()];
                watch(files, "TLS certificates and CRLs", move |[chain, secret, trusted, revoked]| {
                    let clients = ClientCertificates::new((&authorities, trusted), Some((&crls, revoked)))?;
                    configure((&certificate, chain), (&key, secret), Some(clients))
                })?
            }
        };
        Ok(Some(Self(config)))
    }

    /// Performs the handshake with the current certificates.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let config = self.0.borrow().rustls.clone();
        TlsAcceptor::from(config).accept(stream).await
    }

    /// When the first certificate of the server's chain expires.
    pub(in crate::server) fn certificate_expiry(&self) -> SystemTime {
        self.0.borrow().expiry
    }

    /// When the first CRL for client certificates expires. None: there are no CRLs.
    pub(in crate::server) fn crl_expiry(&self) -> Option<SystemTime> {
        self.0.borrow().crl_expiry
    }
}

/// A file and its content.
pub(super) type Content<'a> = (&'a ConfigFile, &'a [u8]);

fn configure(
    certificate: Content<'_>,
    key: Content<'_>,
    clients: Option<ClientCertificates>,
) -> Result<TlsConfig, FileError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| certificate.0.unusable(error))?;
    let builder = match &clients {
        None => builder.with_no_client_auth(),
        Some(clients) => builder.with_client_cert_verifier(clients.verifier(provider.clone())?),
    };
    let secret = PrivateKeyDer::from_pem_slice(key.1)
        .map_err(|error| key.0.unusable(format!("expected a PEM private key: {error}")))?;
    // Reports an unusable key as an error of the key, not of the certificate.
    provider.key_provider.load_private_key(secret.clone_key()).map_err(|error| key.0.unusable(error))?;
    let chain = certificates(certificate)?;
    let mut config =
        builder.with_single_cert(chain.clone(), secret).map_err(|error| certificate.0.unusable(error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let expiry = check_validity(certificate.0, &chain)?;
    // Last: a file that cannot be used is read again every second, without a warning each time.
    if let Some(clients) = &clients {
        clients.warn_about_crls();
    }
    let crl_expiry = clients.and_then(|clients| clients.crl_expiry());
    Ok(TlsConfig { rustls: Arc::new(config), expiry, crl_expiry })
}

/// Warns about certificates that are not valid now, or not much longer. Returns when the first one expires.
///
/// They are used nevertheless: the clock may be wrong, and clients decide what they accept.
fn check_validity(file: &ConfigFile, chain: &[CertificateDer<'_>]) -> Result<SystemTime, FileError> {
    let unreadable =
        |number| file.unusable(format!("cannot read the validity period of certificate {number}"));
    // Certificate 1 is the server's.
    let periods = (1..)
        .zip(chain)
        .map(|(number, der)| Ok((number, Validity::of_certificate(der).ok_or_else(|| unreadable(number))?)))
        .collect::<Result<Vec<(usize, _)>, FileError>>()?;
    let now = SystemTime::now();
    for (number, Validity { not_before, not_after }) in &periods {
        let (from, until) = (format_rfc3339_seconds(*not_before), format_rfc3339_seconds(*not_after));
        if now < *not_before {
            tracing::warn!(%file, number, valid_from = %from, "TLS certificate is not valid yet: clients reject it");
        } else if now > *not_after {
            tracing::warn!(%file, number, valid_until = %until, "TLS certificate has expired: clients reject it");
        } else if now + EXPIRY_WARNING > *not_after {
            tracing::warn!(%file, number, valid_until = %until, "TLS certificate expires soon: replace it");
        }
    }
    // The chain is not empty.
    Ok(periods.iter().map(|(_, period)| period.not_after).min().unwrap_or(now))
}

/// The certificates of a PEM file, at least one.
pub(super) fn certificates((file, pem): Content<'_>) -> Result<Vec<CertificateDer<'static>>, FileError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match certificates {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(file.unusable("expected PEM certificates, found none")),
        Err(error) => Err(file.unusable(format!("expected PEM certificates: {error}"))),
    }
}
