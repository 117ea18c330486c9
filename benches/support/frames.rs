//! Length-prefixed gRPC messages.

#![allow(dead_code, reason = "not every benchmark uses all functions")]

use bytes::{Buf, BufMut, BytesMut};

/// Appends a message with its prefix.
pub fn put_message(framed: &mut BytesMut, message: &[u8]) {
    framed.put_u8(0);
    framed.put_u32(message.len().try_into().expect("the message is small"));
    framed.put_slice(message);
}

/// Removes and returns the next message, if it is complete.
pub fn next_message(unread: &mut BytesMut) -> Option<BytesMut> {
    let mut head = unread.get(1..5)?;
    let size = head.get_u32() as usize;
    if unread.len() < 5 + size {
        return None;
    }
    unread.advance(5);
    Some(unread.split_to(size))
}
