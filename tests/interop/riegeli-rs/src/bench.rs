//! Speed in memory: runs for some seconds, at least three times. What counts is the time of the
//! processor, which other programs do not change as much.

use std::fs;
use std::hint::black_box;
use std::io::Cursor;
use std::time::Instant;

use riegeli::{ReaderOptions, RecordReader, RecordWriter};

use crate::{Result, options, split_lp};

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

/// Seconds of the processor that this process used, on 64-bit Linux.
fn processor() -> f64 {
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: it writes a timespec, which Timespec is.
    unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.seconds as f64 + 1e-9 * time.nanoseconds as f64
}

/// Prints the speed of each run of `work`, which says how many bytes it did.
fn measure(seconds: f64, mut work: impl FnMut() -> Result<usize>) -> Result<()> {
    let begin = Instant::now();
    for run in 0.. {
        if run >= 3 && begin.elapsed().as_secs_f64() >= seconds {
            break;
        }
        let start = processor();
        let bytes = work()?;
        println!("{:.1}", bytes as f64 / 1e6 / (processor() - start));
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
