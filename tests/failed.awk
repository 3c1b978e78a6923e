# awk -v stage=STAGE -f tests/failed.awk LOG: the tests that failed, as pytest, ctest, ninja, the
# runner of the JavaScript tests, tests/install, tests/fuzz and tests/verdicts.py name them.

function add(name) {
  if (name == "" || (where, name) in seen) return
  seen[where, name] = 1
  named[where] = 1
  found[++count] = name
  place[count] = where
}

# A file of the JavaScript tests on a runtime. Lines that are indented name its tests.
/^[a-z]+ +(ok|FAILED) +web\/test\// {
  where = ""
  if ($2 == "ok") next
  where = $1 " " $3
  if (!(where in ranked)) files[++ranks] = where
  ranked[where] = 1
  next
}
/^[a-z]+ web\/test\/.*once more, alone/ { where = $1 " " substr($2, 1, length($2) - 1) }
/^again: / { passed[$2 " " $3] = 1 }
where && sub(/^ +not ok [0-9]* *- /, "") { add($0) }
where && sub(/^ +\(fail\) /, "") { add($0) }
where && / \.\.\. FAILED/ { sub(/ \.\.\. FAILED.*/, ""); sub(/^ +/, ""); add($0) }

/^[^ ]/ && !/once more, alone/ { where = "" }
/^[a-z]+ +FAILED  / { add($0) }
/^[a-z_0-9]+ FAILED$/ { add($1) }
sub(/^(FAILED|ERROR):? +/, "") { add($0) }
/^not the same verdicts: / { add($0) }
/^The following tests FAILED:/ { listed = 1; next }
listed && sub(/^[ \t]+[0-9]+ - /, "") { add($0); next }
{ listed = 0 }

END {
  for (i = 1; i <= count; i++)
    if (!(place[i] in passed)) print "  " stage ": " substr((place[i] ? place[i] ": " : "") found[i], 1, 200)
  for (i = 1; i <= ranks; i++) # that crashed
    if (!(files[i] in named) && !(files[i] in passed)) print "  " stage ": " files[i]
}
