//! Speed in memory: runs for some seconds, at least three times.

use std::fs;
use std::hint::black_box;
use std::io::Cursor;
use std::time::Instant;

use riegeli::{ReaderOptions, RecordReader, RecordWriter};

use crate::{Result, options, split_lp};

/// Prints the speed of each run of `work`, which says how many bytes it did.
fn measure(seconds: f64, mut work: impl FnMut() -> Result<usize>) -> Result<()> {
    let begin = Instant::now();
    for run in 0.. {
        if run >= 3 && begin.elapsed().as_secs_f64() >= seconds {
            break;
        }
        let start = Instant::now();
        let bytes = work()?;
        println!("{:.1}", bytes as f64 / 1e6 / start.elapsed().as_secs_f64());
    }
    Ok(())
}

pub fn write(text: &str, path: &str, seconds: f64) -> Result<()> {
    let input = fs::read(path)?;
    let records = split_lp(&input)?;
    let mut file = Vec::with_capacity(input.len() + input.len() / 8 + (1 << 20));
    measure(seconds, || {
        file.clear();
        let mut writer = RecordWriter::new(Cursor::new(&mut file), options::parse(text)?)?;
        for record in &records {
            writer.write_record(record)?;
        }
        writer.close()?;
        black_box(&file);
        Ok(records.iter().map(|record| record.len()).sum())
    })
}

pub fn read(path: &str, seconds: f64) -> Result<()> {
    let file = fs::read(path)?;
    measure(seconds, || {
        let mut reader = RecordReader::new(Cursor::new(&file), ReaderOptions::new())?;
        let mut bytes = 0;
        while let Some(record) = reader.read_record()? {
            bytes += black_box(&record).len();
        }
        Ok(bytes)
    })
}
