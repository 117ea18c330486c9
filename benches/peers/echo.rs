//! The calls to the echo and hello world servers. All of their messages are one string.

use prost::Message;

use super::{arbiter_calls, client::Call, load_generator::call_once, server::Server};

pub const SAY: &str = "/bench.Echo/Say";
pub const SAY_HELLO: &str = "/helloworld.Greeter/SayHello";

/// A message with one string: `HelloRequest`, `HelloReply` and the echoed message.
#[derive(Clone, PartialEq, Message)]
struct Text {
    #[prost(string, tag = "1")]
    text: String,
}

pub fn call(path: &'static str) -> Call {
    Call::new(path, &request().encode_to_vec())
}

pub async fn check_echo(server: &Server) {
    let response: Text = call_once(server, SAY, request()).await;
    assert_eq!(response, request());
}

pub async fn check_hello(server: &Server) {
    let response: Text = call_once(server, SAY_HELLO, request()).await;
    assert_eq!(response.text, format!("Hello {}!", request().text));
}

/// A message with the encoded size of an `ApplyMove` request.
fn request() -> Text {
    Text { text: "x".repeat(arbiter_calls::apply_move_size() - 2) }
}
