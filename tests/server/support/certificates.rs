//! Certificates generated at run time, and a TLS client.

use std::{io, sync::Arc, time::SystemTime};

use base64::{Engine, engine::general_purpose::STANDARD};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, SerialNumber,
    date_time_ymd,
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

/// ALPN protocol names.
pub const ALPN_HTTP2: &[u8] = b"h2";
pub const ALPN_HTTP11: &[u8] = b"http/1.1";

/// A certificate authority.
pub struct CertificateAuthority(CertifiedIssuer<'static, KeyPair>);

impl CertificateAuthority {
    pub fn new(name: &str) -> Self {
        let mut params = params_with_name(name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        Self(CertifiedIssuer::self_signed(params, new_key()).expect("the certificate can be signed"))
    }

    pub fn pem(&self) -> String {
        pem("CERTIFICATE", self.0.der())
    }

    pub fn der(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }

    /// A server certificate for the loopback address.
    pub fn server(&self) -> Identity {
        self.sign(&server_params())
    }

    /// A server certificate that is valid from and until these times.
    pub fn server_valid(&self, from: SystemTime, until: SystemTime) -> Identity {
        let mut params = server_params();
        params.not_before = from.into();
        params.not_after = until.into();
        self.sign(&params)
    }

    pub fn client(&self) -> Identity {
        self.sign(&client_params())
    }

    /// A client certificate with this serial number.
    pub fn client_with_serial(&self, serial: u64) -> Identity {
        let mut params = client_params();
        params.serial_number = Some(SerialNumber::from(serial));
        self.sign(&params)
    }

    /// A CRL of this authority that revokes the certificates with these serial numbers, as PEM.
    pub fn crl(&self, revoked: &[u64], this_update: SystemTime, next_update: SystemTime) -> String {
        let revoke = |serial: &u64| RevokedCertParams {
            serial_number: SerialNumber::from(*serial),
            revocation_time: this_update.into(),
            reason_code: None,
            invalidity_date: None,
        };
        let params = CertificateRevocationListParams {
            this_update: this_update.into(),
            next_update: next_update.into(),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: revoked.iter().map(revoke).collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        pem("X509 CRL", params.signed_by(&self.0).expect("the CRL can be signed").der())
    }

    /// An expired client certificate.
    pub fn expired_client(&self) -> Identity {
        let mut params = client_params();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> Identity {
        let key = new_key();
        let certificate = params.signed_by(&key, &self.0).expect("the certificate can be signed");
        Identity { certificate: certificate.der().clone(), key: key.serialize_der() }
    }
}

fn params_with_name(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn server_params() -> CertificateParams {
    let mut params =
        CertificateParams::new(["127.0.0.1", "localhost"].map(str::to_owned)).expect("the names are valid");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params
}

fn client_params() -> CertificateParams {
    let mut params = params_with_name("a client");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    params
}

fn new_key() -> KeyPair {
    KeyPair::generate().expect("a key can be generated")
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
        PrivateKeyDer::try_from(self.key.clone()).expect("the key is valid")
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<_> = text.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Connects as a client that trusts this authority, presents this certificate, if any, and offers these protocols.
pub async fn tls_connect(
    address: &str,
    server_name: &'static str,
    trusted: &CertificateAuthority,
    presented: Option<&Identity>,
    offered: &[&[u8]],
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der()).expect("the root certificate is valid");
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider supports the default versions")
        .with_root_certificates(roots);
    let mut config = match presented {
        None => builder.with_no_client_auth(),
        Some(identity) => builder
            .with_client_auth_cert(vec![identity.certificate.clone()], identity.key())
            .expect("the key matches the certificate"),
    };
    config.alpn_protocols = offered.iter().map(|protocol| protocol.to_vec()).collect();
    let stream = TcpStream::connect(address).await.expect("the server is reachable");
    stream.set_nodelay(true).expect("the socket is open");
    let server_name = ServerName::try_from(server_name).expect("the name is valid");
    TlsConnector::from(Arc::new(config)).connect(server_name, stream).await
}

/// The certificate that the server has presented.
pub fn peer_certificate(stream: &TlsStream<TcpStream>) -> CertificateDer<'static> {
    let certificate = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
    certificate.expect("the server presents a certificate").clone().into_owned()
}
