#!/usr/bin/env bash
# tools/site.sh [OUTPUT]: the documentation as a site of static files, with search, by default in
# build/site: the README and all that it leads to, the references of C and JavaScript,
# of Python too if build/python has the package (by build/venv if there is one: it has Dask), and the
# inspector. Installs what it needs from the npm locks; builds the WebAssembly modules if build/web
# has none. SITE_BASE is the path on the server (/). Ends with a check of every link.
#
#     bash tools/site.sh && python3 -m http.server --directory build/site
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-build/site} parts=build/site-parts base=${SITE_BASE:-/}

for folder in web web/test/package web/inspector tools/site; do
  cmp -s $folder/package-lock.json $folder/node_modules/.installed && continue
  (cd $folder && npm ci --loglevel=error --no-progress >/dev/null && cp package-lock.json node_modules/.installed)
done
[ -e build/web/inspect.wasm ] || bash web/build.sh

rm -rf $parts "$output"
mkdir -p $parts
node web/scripts/dist.js build/web $parts/package
node web/scripts/docs.js $parts/package $parts/reference
node web/inspector/build.js $parts/inspector
python=build/venv/bin/python
[ -x $python ] || python=python3
[ ! -e build/python/libcpb ] || PYTHONPATH=build/python $python tools/python_reference.py >$parts/python.md
node tools/site/pages.js $parts/reference $parts/pages
ln -s ../../tools/site/node_modules $parts/node_modules # what pages import is looked for beside them
(cd tools/site && SITE_BASE=$base node_modules/.bin/vitepress build)
[ "$output" -ef build/site ] || mv build/site "$output"
cp -r $parts/inspector "$output/inspector"
node tools/site/check.js "$output" "$base"
