//! HTTP/2 frames written by hand, and a parser for those that the server sends.

use bytes::{Buf, BufMut, BytesMut};

/// The client connection preface.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub mod frame_type {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
}

pub fn http2_frame(frame_type: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(9 + payload.len());
    frame.put_uint(payload.len() as u64, 3);
    frame.put_u8(frame_type);
    frame.put_u8(flags);
    frame.put_u32(stream);
    frame.put_slice(payload);
    frame
}

/// The frames that the server has sent on one connection.
#[derive(Debug, Default)]
pub struct ReceivedFrames {
    unparsed: BytesMut,
    pub frames: usize,
    pub pings: usize,
    pub go_aways: Vec<GoAway>,
}

#[derive(Clone, Copy, Debug)]
pub struct GoAway {
    pub last_stream_id: u32,
    pub code: u32,
}

impl ReceivedFrames {
    pub fn parse(&mut self, data: &[u8]) {
        self.unparsed.extend_from_slice(data);
        while let Some(mut header) = self.unparsed.get(..9) {
            let length = header.get_uint(3) as usize;
            let frame_type = header.get_u8();
            if self.unparsed.len() < 9 + length {
                return;
            }
            let mut frame = self.unparsed.split_to(9 + length);
            self.frames += 1;
            frame.advance(9);
            match frame_type {
                frame_type::PING => self.pings += 1,
                frame_type::GOAWAY => {
                    let last_stream_id = frame.get_u32() & 0x7fff_ffff;
                    self.go_aways.push(GoAway { last_stream_id, code: frame.get_u32() });
                }
                _ => {}
            }
        }
    }
}
