//! What servers are asked that decide nothing. All their messages are one text.

use prost::Message;

use super::{arbiter_calls, client::Call, loader::ask, server::Server};

pub const SAY: &str = "/bench.Echo/Say";
pub const SAY_HELLO: &str = "/helloworld.Greeter/SayHello";

/// A message with a text in its first field: `HelloRequest`, `HelloReply`, and what is echoed.
#[derive(Clone, PartialEq, Message)]
struct Text {
    #[prost(string, tag = "1")]
    text: String,
}

pub fn call(path: &'static str) -> Call {
    Call::new(path, &question().encode_to_vec())
}

pub async fn check_echo(server: &Server) {
    let answer: Text = ask(server, SAY, question()).await;
    assert_eq!(answer, question());
}

pub async fn check_hello(server: &Server) {
    let answer: Text = ask(server, SAY_HELLO, question()).await;
    assert_eq!(answer.text, format!("Hello {}!", question().text));
}

/// As long as the request of `ApplyMove`, with the key and the length of its field.
fn question() -> Text {
    Text { text: "x".repeat(arbiter_calls::apply_move_len() - 2) }
}
