//! Riegeli's writer options as text.

use riegeli::{CompressionType, WriterOptions};

use crate::Result;

/// `64K`, `1M`, `100`.
fn bytes(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(['B', 'K', 'k', 'M', 'G']);
    let unit = match &text[digits.len()..] {
        "" | "B" => 1,
        "K" | "k" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        other => return Err(format!("unknown unit {other}").into()),
    };
    Ok(digits.parse::<u64>()? * unit)
}

fn padding(value: Option<&str>) -> Result<u64> {
    value.map_or(Ok(1 << 16), bytes)
}

pub fn parse(text: &str) -> Result<WriterOptions> {
    let mut codec = CompressionType::Brotli;
    let mut chunk_size = None;
    let mut options = WriterOptions::new();
    for option in text.split(',').filter(|option| !option.is_empty()) {
        let (name, value) = match option.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let needed = || value.ok_or_else(|| format!("{name} needs a value"));
        options = match name {
            "default" => options,
            "uncompressed" | "brotli" | "zstd" | "snappy" => {
                codec = match name {
                    "uncompressed" => CompressionType::None,
                    "brotli" => CompressionType::Brotli,
                    "zstd" => CompressionType::Zstd,
                    _ => CompressionType::Snappy,
                };
                match value {
                    Some(level) => options.compression_level(level.parse()?),
                    None => options,
                }
            }
            "transpose" => options.transpose(value != Some("false")),
            "chunk_size" => {
                chunk_size = Some(bytes(needed()?)?);
                options
            }
            "window_log" => options.window_log(Some(needed()?.parse()?)),
            "bucket_fraction" => options.bucket_fraction(needed()?.parse()?),
            "padding" => options.initial_padding(padding(value)?).final_padding(padding(value)?),
            "initial_padding" => options.initial_padding(padding(value)?),
            "final_padding" => options.final_padding(padding(value)?),
            _ => return Err(format!("unknown option {name}").into()),
        };
    }
    // The crate's own default is 1 MiB for all; Riegeli's depends on the codec.
    let default_size = if codec == CompressionType::None { 4 << 10 } else { 1 << 20 };
    Ok(options.compression(codec).chunk_size(chunk_size.unwrap_or(default_size)))
}
