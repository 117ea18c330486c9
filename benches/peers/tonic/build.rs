//! Compiles the proto file in Rust, so that only cargo is needed.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=helloworld.proto");
    tonic_prost_build::compile_fds(protox::compile(["helloworld.proto"], ["."])?)?;
    Ok(())
}
