//! The text in the bytes of a file: with a byte-order mark, in UTF-16 or Latin-1, or compressed by gzip, as
//! editors, shells and archives leave it.

use std::char::DecodeUtf16Error;
use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;

/// The reason why bytes hold no text that netsig reads, with the cure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// Another compression or encoding.
    #[error("is {0}, which is not read; turn it into plain text, or compress it by gzip")]
    Foreign(&'static str),
    /// gzip data that do not end, or hold errors.
    #[error("is damaged or cut short within its gzip data; copy it again")]
    Damaged,
    /// UTF-16 with half of a unit, or half of a pair of units.
    #[error("is damaged or cut short within its UTF-16 text; copy it again")]
    Broken,
    /// More text than 1 GiB.
    #[error("is longer than 1 GiB without its gzip compression; decompress it")]
    TooLong,
    /// Bytes that no text has.
    #[error("is no text; name a text file")]
    NoText,
}

/// The most bytes of decompressed text.
const MOST_BYTES: u64 = 1 << 30;

/// The first bytes of gzip data.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The byte-order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// The first bytes of files that are not read, with the kinds of these files.
const FOREIGN_SIGNATURES: [(&[u8], &str); 7] = [
    (b"PK\x03\x04", "a zip archive"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"BZh", "a bzip2 file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\xff\xfe\0\0", "text in UTF-32"),
    (b"\0\0\xfe\xff", "text in UTF-32"),
    (b"%PDF-", "a PDF"),
];

/// The most bytes that tell how a file is encoded.
const SIGNATURE_BYTES: u64 = 6;

/// The text in `bytes`.
///
/// # Errors
/// If the bytes are no text, or are packed in another way than by gzip.
pub fn text(bytes: Vec<u8>) -> Result<String, EncodingError> {
    let unpacked = if bytes.starts_with(GZIP) {
        unpacked(&bytes)?
    } else {
        bytes
    };
    decode_plain(unpacked)
}

/// The beginning of the text in the first bytes of a file, at most about `most` bytes of it. Invalid bytes are
/// replaced.
pub fn head(bytes: &[u8], most: u64) -> String {
    let mut begin = Vec::new();
    if bytes.starts_with(GZIP) {
        // Cut data end in an error, behind their contents.
        let _ = MultiGzDecoder::new(bytes).take(most).read_to_end(&mut begin);
    } else {
        begin.extend_from_slice(bytes);
    }
    let Some(order) = ByteOrder::of(&begin) else {
        let begin = begin.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&begin);
        return String::from_utf8_lossy(begin).into_owned();
    };
    let units = order.units(&begin);
    units.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// A reader of `input` without its byte-order mark, its gzip compression and UTF-16. Plain text is passed on
/// as it is read; single lines in Latin-1 are left to [`latin1`].
///
/// # Errors
/// If `input` cannot be read, or with the errors of [`text`] as [`EncodingError`] inside.
pub fn stream<'a>(mut input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut begin = Vec::new();
    input.by_ref().take(SIGNATURE_BYTES).read_to_end(&mut begin)?;
    let is_foreign = FOREIGN_SIGNATURES.iter().any(|(magic, _)| begin.starts_with(magic));
    if is_foreign || begin.starts_with(GZIP) || ByteOrder::of(&begin).is_some() {
        input.read_to_end(&mut begin)?;
        let text = text(begin).map_err(invalid)?;
        return Ok(Box::new(Cursor::new(text.into_bytes())));
    }
    if begin.starts_with(BYTE_ORDER_MARK) {
        begin.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(Box::new(Cursor::new(begin).chain(input)))
}

/// Text in UTF-8, whose invalid bytes are read as Latin-1.
///
/// # Errors
/// If there are control characters that no text has.
pub fn latin1(bytes: &[u8]) -> Result<String, EncodingError> {
    let is_control = |byte: &u8| *byte < b' ' && !b"\t\n\r\x07\x08\x0c\x1b".contains(byte);
    if bytes.iter().any(is_control) {
        return Err(EncodingError::NoText);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
    }
    Ok(text)
}

/// An error of `input` for [`io::Read`].
pub(crate) fn invalid(error: EncodingError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// The content of all members of gzip data.
fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, EncodingError> {
    let mut content = Vec::new();
    let mut members = MultiGzDecoder::new(bytes).take(MOST_BYTES + 1);
    let read = members.read_to_end(&mut content);
    let length = read.map_err(|_| EncodingError::Damaged)?;
    if length as u64 > MOST_BYTES {
        return Err(EncodingError::TooLong);
    }
    Ok(content)
}

/// The text in bytes that are not compressed.
fn decode_plain(mut bytes: Vec<u8>) -> Result<String, EncodingError> {
    let mut foreign = FOREIGN_SIGNATURES.iter();
    if let Some((_, what)) = foreign.find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(EncodingError::Foreign(what));
    }
    if let Some(order) = ByteOrder::of(&bytes) {
        return order.decode(&bytes);
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).or_else(|error| latin1(error.as_bytes()))
}

/// The order of the two bytes of a unit of UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The order that the byte-order mark names, or that two characters of ASCII without a mark have.
    fn of(bytes: &[u8]) -> Option<Self> {
        match *bytes {
            [0xff, 0xfe, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..] => Some(Self::Little),
            [0xfe, 0xff, ..] | [0, 1..=0x7f, 0, 1..=0x7f, ..] => Some(Self::Big),
            _ => None,
        }
    }

    fn decode(self, bytes: &[u8]) -> Result<String, EncodingError> {
        if bytes.len() % 2 == 1 {
            return Err(EncodingError::Broken);
        }
        let units = self.units(bytes);
        units.collect::<Result<_, _>>().map_err(|_| EncodingError::Broken)
    }

    /// The characters of whole units, behind the byte-order mark.
    fn units(self, bytes: &[u8]) -> impl Iterator<Item = Result<char, DecodeUtf16Error>> {
        let pairs = bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
        let units = pairs.map(move |pair| match self {
            Self::Little => u16::from_le_bytes(pair),
            Self::Big => u16::from_be_bytes(pair),
        });
        let mut text = char::decode_utf16(units).peekable();
        text.next_if_eq(&Ok('\u{feff}'));
        text
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const TEXT: &str = "# Zeit in \u{b5}s\r\n8 \u{d7} 16\n";

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn streamed(bytes: &[u8]) -> io::Result<String> {
        let mut read = Vec::new();
        stream(bytes)?.read_to_end(&mut read)?;
        Ok(latin1(&read).unwrap())
    }

    #[test]
    fn every_encoding_is_the_same_text() {
        let marked = format!("\u{feff}{TEXT}");
        let latin1: Vec<u8> = TEXT.chars().map(|c| u8::try_from(c).unwrap()).collect();
        let mixed = [&latin1, TEXT.as_bytes()].concat();
        let members = [gzip(TEXT.as_bytes()), gzip(TEXT.as_bytes())].concat();
        let twice = TEXT.repeat(2);
        for (bytes, expected) in [
            (TEXT.into(), TEXT),
            (marked.clone().into_bytes(), TEXT),
            (latin1, TEXT),
            (utf16(TEXT, u16::to_le_bytes), TEXT),
            (utf16(TEXT, u16::to_be_bytes), TEXT),
            (utf16(&marked, u16::to_le_bytes), TEXT),
            (utf16(&marked, u16::to_be_bytes), TEXT),
            (gzip(TEXT.as_bytes()), TEXT),
            (gzip(&utf16(&marked, u16::to_le_bytes)), TEXT),
            (mixed, &twice),
            (members, &twice),
            (Vec::new(), ""),
        ] {
            assert_eq!(text(bytes.clone()).as_deref(), Ok(expected), "{bytes:?}");
            assert_eq!(streamed(&bytes).unwrap(), expected, "{bytes:?}");
            let begin = expected.chars().next();
            assert_eq!(head(&bytes, 4).chars().next(), begin, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_named_with_the_cure() {
        let packed = gzip(&vec![b'x'; 1 << 16]);
        for (bytes, expected) in [
            (b"PK\x03\x04rest".to_vec(), "is a zip archive, "),
            (gzip(b"BZh91AY"), "is a bzip2 file, "),
            (b"\x7fELF\x02\x01\0\0\0\xff".to_vec(), "is no text; "),
            (packed[..packed.len() / 2].to_vec(), "is damaged "),
            (b"\xff\xfe1\x002".to_vec(), "is damaged "),
            (b"\xff\xfe\0\xd81\0".to_vec(), "is damaged "),
        ] {
            let message = text(bytes).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
