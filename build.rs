//! Compiles `proto/` with `protox`, a compiler in Rust, so that a fresh machine needs only cargo.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let descriptors = protox::compile(["arbiter/v1/rules_service.proto"], ["proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("arbiter.v1.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure()
        .build_server(false) // `service.rs` dispatches by a table
        .codec_path("crate::wire::Codec")
        .extern_path(".arbiter.v1.EvaluateBatchRequest", "crate::wire::Items")
        .extern_path(".arbiter.v1.EvaluateBatchResponse", "crate::wire::Items")
        .extern_path(".arbiter.v1.EvaluateResponse", "crate::wire::EvaluateResponse")
        .extern_path(".arbiter.v1.State", "crate::wire::State")
        .compile_fds(descriptors)?;
    Ok(())
}
