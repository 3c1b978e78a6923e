//! wit-bindgen c WIT --out-dir DIR [--world WORLD] [--rename-world NAME] [--rename FROM=TO]...:
//! bindings in C, as the command of that name makes them with these options.

use anyhow::{bail, Context, Result};
use wit_bindgen_core::{wit_parser::Resolve, Files};

fn main() -> Result<()> {
    let mut options = wit_bindgen_c::Opts::default();
    let (mut wit, mut world, mut folder) = (None, None, None);
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() != Some("c") {
        bail!("expected c: only bindings in C are made");
    }
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word}: expected a value"));
        match word.as_str() {
            "--out-dir" => folder = Some(value()?),
            "--world" => world = Some(value()?),
            "--rename-world" => options.rename_world = Some(value()?),
            "--rename" => {
                let pair = value()?;
                let (from, to) = pair.split_once('=').context("--rename: expected FROM=TO")?;
                options.rename.push((from.into(), to.into()));
            }
            _ if word.starts_with('-') => bail!("{word} is no option of this program"),
            _ => wit = Some(word),
        }
    }
    let folder = std::path::PathBuf::from(folder.context("expected --out-dir")?);

    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(wit.context("expected the folder of the WIT")?)?;
    let world = resolve.select_world(&[package], world.as_deref())?;
    let mut files = Files::default();
    options.build().generate(&mut resolve, world, &mut files)?;
    std::fs::create_dir_all(&folder)?;
    for (name, contents) in files.iter() {
        let path = folder.join(name);
        std::fs::write(&path, contents).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
