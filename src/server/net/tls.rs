//! TLS and client certificates.

use std::{io, sync::Arc};

use rustls::{
    RootCertStore, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use crate::{
    config::Security,
    server::reload::{ConfigFile, FileError, Reloaded, watch},
};

/// The TLS configuration, reloaded when its files change.
#[derive(Clone)]
pub(in crate::server) struct Tls(Reloaded<ServerConfig>);

impl Tls {
    /// Reads the files. None: TLS is not configured. Must be called within a runtime.
    pub(in crate::server) fn load(security: &Security) -> Result<Option<Self>, FileError> {
        let (Some(certificate), Some(key)) = (&security.tls_cert, &security.tls_key) else {
            return Ok(None);
        };
        let certificate = ConfigFile::new("--tls-cert", certificate);
        let key = ConfigFile::new("--tls-key", key);
        let config = match &security.tls_client_ca {
            None => {
                let files = [certificate.clone(), key.clone()];
                watch(files, "TLS certificate", move |[chain, secret]| {
                    configure((&certificate, chain), (&key, secret), None)
                })?
            }
            Some(authorities) => {
                let authorities = ConfigFile::new("--tls-client-ca", authorities);
                let files = [certificate.clone(), key.clone(), authorities.clone()];
                watch(files, "TLS certificates", move |[chain, secret, trusted]| {
                    configure((&certificate, chain), (&key, secret), Some((&authorities, trusted)))
                })?
            }
        };
        Ok(Some(Self(config)))
    }

    /// Performs the handshake with the current certificates.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let config = self.0.borrow().clone();
        TlsAcceptor::from(config).accept(stream).await
    }
}

/// A file and its content.
type Content<'a> = (&'a ConfigFile, &'a [u8]);

fn configure(
    certificate: Content<'_>,
    key: Content<'_>,
    authorities: Option<Content<'_>>,
) -> Result<ServerConfig, FileError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| certificate.0.unusable(error))?;
    let builder = match authorities {
        None => builder.with_no_client_auth(),
        Some(authorities) => builder.with_client_cert_verifier(verifier(authorities, provider.clone())?),
    };
    let secret = PrivateKeyDer::from_pem_slice(key.1)
        .map_err(|error| key.0.unusable(format!("expected a PEM private key: {error}")))?;
    // Reports an unusable key as an error of the key, not of the certificate.
    provider.key_provider.load_private_key(secret.clone_key()).map_err(|error| key.0.unusable(error))?;
    let mut config = builder
        .with_single_cert(certificates(certificate)?, secret)
        .map_err(|error| certificate.0.unusable(error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Requires a client certificate signed by one of these CAs.
fn verifier(
    authorities: Content<'_>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn rustls::server::danger::ClientCertVerifier>, FileError> {
    let mut roots = RootCertStore::empty();
    for authority in certificates(authorities)? {
        roots.add(authority).map_err(|error| authorities.0.unusable(error))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| authorities.0.unusable(error))
}

fn certificates((file, pem): Content<'_>) -> Result<Vec<CertificateDer<'static>>, FileError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match certificates {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(file.unusable("expected PEM certificates, found none")),
        Err(error) => Err(file.unusable(format!("expected PEM certificates: {error}"))),
    }
}
