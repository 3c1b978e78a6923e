# awk -f totals.awk LOG...: what ctest, pytest and others count in their closing lines, as `P passed, F failed, S skipped`.
match($0, /tests passed, [0-9]+ tests failed out of [0-9]+/) {
  split(substr($0, RSTART), word, " ")
  failed += word[3]
  passed += word[9] - word[3]
  next
}
/ in / {
  for (i = 2; i <= NF; i++) {
    what = $i
    sub(/[,.]$/, "", what)
    if (what == "passed") passed += $(i - 1)
    else if (what == "failed" || what ~ /^errors?$/) failed += $(i - 1)
    else if (what == "skipped") skipped += $(i - 1)
    else if (what == "in") next
  }
}
END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }
