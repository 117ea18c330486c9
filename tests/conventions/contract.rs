//! Rules for every method of the contract.

use arbiter::wire::proto;
use prost::Message;
use prost_types::{FileDescriptorSet, method_options::IdempotencyLevel};

#[test]
fn every_method_is_declared_free_of_side_effects() {
    let files =
        FileDescriptorSet::decode(proto::FILE_DESCRIPTOR_SET).expect("the descriptors are valid").file;
    let services = files.iter().filter(|file| file.package() == "arbiter.v1").flat_map(|file| &file.service);
    let methods: Vec<_> = services.flat_map(|service| &service.method).collect();
    assert!(methods.len() >= 14, "methods are missing");
    for method in methods {
        let level = method.options.as_ref().map(prost_types::MethodOptions::idempotency_level);
        assert_eq!(level, Some(IdempotencyLevel::NoSideEffects), "{}", method.name());
    }
}
