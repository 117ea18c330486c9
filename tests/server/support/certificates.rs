//! Certificates, made when a test needs them, and a client of TLS that shows and asks for them.

use std::{io, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

/// What is offered to a server that may choose, the best first.
pub const HTTP_2: &[u8] = b"h2";
pub const HTTP_11: &[u8] = b"http/1.1";

/// Someone whose signature is trusted.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = named(name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Self(CertifiedIssuer::self_signed(params, new_key()).expect("it can be signed"))
    }

    pub fn pem(&self) -> String {
        pem("CERTIFICATE", self.0.der())
    }

    pub fn der(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }

    /// A certificate of a server on this machine.
    pub fn server(&self) -> Identity {
        let mut params =
            CertificateParams::new(["127.0.0.1", "localhost"].map(str::to_owned)).expect("they are names");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(&params)
    }

    pub fn client(&self) -> Identity {
        self.sign(&client())
    }

    /// A certificate of a client that was good until some years ago.
    pub fn expired_client(&self) -> Identity {
        let mut params = client();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> Identity {
        let key = new_key();
        let certificate = params.signed_by(&key, &self.0).expect("it can be signed");
        Identity { certificate: certificate.der().clone(), key: key.serialize_der() }
    }
}

fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn client() -> CertificateParams {
    let mut params = named("a client");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    params
}

fn new_key() -> KeyPair {
    KeyPair::generate().expect("a key can be made")
}

/// A certificate and its key.
pub struct Identity {
    pub certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Identity {
    pub fn certificate_pem(&self) -> String {
        pem("CERTIFICATE", &self.certificate)
    }

    pub fn key_pem(&self) -> String {
        pem("PRIVATE KEY", &self.key)
    }

    fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::try_from(self.key.clone()).expect("it is a key")
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<_> = text.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Connects as a client that trusts this authority, shows this certificate, if any, and offers these protocols.
pub async fn connect_to(
    address: &str,
    name: &'static str,
    trusted: &Authority,
    shown: Option<&Identity>,
    offered: &[&[u8]],
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der()).expect("it is an authority");
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("there are some")
        .with_root_certificates(roots);
    let mut config = match shown {
        None => builder.with_no_client_auth(),
        Some(identity) => builder
            .with_client_auth_cert(vec![identity.certificate.clone()], identity.key())
            .expect("the key is that of the certificate"),
    };
    config.alpn_protocols = offered.iter().map(|protocol| protocol.to_vec()).collect();
    let stream = TcpStream::connect(address).await.expect("the server can be reached");
    stream.set_nodelay(true).expect("it is open");
    let name = ServerName::try_from(name).expect("it is a name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// The certificate that a server has shown.
pub fn shown_by(stream: &TlsStream<TcpStream>) -> CertificateDer<'static> {
    let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
    shown.expect("a server shows a certificate").clone().into_owned()
}
