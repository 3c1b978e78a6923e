//! The crate `riegeli` as a command. Records are given and taken as `.lp`: each
//! preceded by its size, 8 bytes little-endian. OPTIONS are as Riegeli's own
//! (`zstd:3,chunk_size:64K,transpose`), with its defaults.

mod bench;
mod options;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};

use riegeli::{ReaderOptions, RecordReader, RecordWriter};

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "usage:
  riegeli-rs write OPTIONS < RECORDS.lp > FILE
  riegeli-rs read FILE > RECORDS.lp
  riegeli-rs positions FILE            one `chunk_begin index size` a line
  riegeli-rs metadata FILE > MESSAGE   the serialized RecordsMetadata
  riegeli-rs bench-write OPTIONS RECORDS.lp [SECONDS]
  riegeli-rs bench-read FILE [SECONDS]
A bench works in memory and prints MB of record bytes per second of the processor, one run a line.";

/// Splits `.lp` into records.
pub fn split_lp(mut bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let (size, rest) = bytes.split_first_chunk::<8>().ok_or("the size of a record is cut")?;
        let size = usize::try_from(u64::from_le_bytes(*size))?;
        let (record, rest) = rest.split_at_checked(size).ok_or("a record is cut")?;
        records.push(record);
        bytes = rest;
    }
    Ok(records)
}

fn open(path: &str) -> Result<RecordReader<BufReader<File>>> {
    let file = BufReader::with_capacity(1 << 20, File::open(path)?);
    Ok(RecordReader::new(file, ReaderOptions::new())?)
}

fn write(text: &str) -> Result<()> {
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut writer = RecordWriter::new(&mut out, options::parse(text)?)?;
    for record in split_lp(&input)? {
        writer.write_record(record)?;
    }
    writer.close()?;
    Ok(out.flush()?)
}

fn read(path: &str) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut reader = open(path)?;
    while let Some(record) = reader.read_record()? {
        out.write_all(&(record.len() as u64).to_le_bytes())?;
        out.write_all(&record)?;
    }
    Ok(out.flush()?)
}

fn positions(path: &str) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut reader = open(path)?;
    while let Some(record) = reader.read_record()? {
        let at = reader.last_pos();
        writeln!(out, "{} {} {}", at.chunk_begin, at.record_index, record.len())?;
    }
    Ok(out.flush()?)
}

fn metadata(path: &str) -> Result<()> {
    let message = open(path)?.read_serialized_metadata()?;
    Ok(io::stdout().write_all(&message.ok_or("the file has no metadata")?)?)
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["write", options] => write(options),
        ["read", file] => read(file),
        ["positions", file] => positions(file),
        ["metadata", file] => metadata(file),
        ["bench-write", options, records] => bench::write(options, records, 1.0),
        ["bench-write", options, records, seconds] => bench::write(options, records, seconds.parse()?),
        ["bench-read", file] => bench::read(file, 1.0),
        ["bench-read", file, seconds] => bench::read(file, seconds.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Err(error) = run(&arguments) {
        eprintln!("riegeli-rs: {error}");
        std::process::exit(1);
    }
}
