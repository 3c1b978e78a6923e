#include "model/diff/part.h"

#define DEPTH 64

/* Numbers are raw, as they are written. */
static bool is_empty(yyjson_val *value) {
  if (yyjson_is_raw(value)) return yyjson_get_len(value) == 1 && yyjson_get_raw(value)[0] == '0';
  return !value || yyjson_is_null(value) || yyjson_is_false(value) ||
         ((yyjson_is_str(value) || yyjson_is_ctn(value)) && yyjson_get_len(value) == 0);
}

/* The name of the 0 of an enumeration: of kinds of objects, of whether to compile, of dtypes. */
static bool is_zero(yyjson_val *value) {
  return yyjson_equals_str(value, "none") || yyjson_equals_str(value, "default") || yyjson_equals_str(value, "invalid");
}

static bool is_part(yyjson_val *part, yyjson_val *whole, int depth);

/* A type that has lost its name is told by its number. */
static bool is_class_of_lost_name(yyjson_val *part, yyjson_val *name) {
  yyjson_val *type_spec = cpb_json_member(part, "type_spec");
  return yyjson_equals_str(name, "class") && yyjson_is_str(type_spec) && yyjson_get_len(type_spec) == 0;
}

/* Only a member without a name may be new, as its name is lost, or what stands for a lost name. */
static bool are_members(yyjson_val *part, yyjson_val *whole, int depth) {
  size_t i, count;
  yyjson_val *name, *value;
  yyjson_obj_foreach(part, i, count, name, value) {
    size_t size = yyjson_get_len(name);
    if (size == 0 || is_class_of_lost_name(part, name)) continue;
    if (!is_part(value, yyjson_obj_getn(whole, yyjson_get_str(name), size), depth)) return false;
  }
  return true;
}

/* Of a list of what has names that one, else the one at the same place. */
static yyjson_val *same_element(yyjson_val *element, size_t i, yyjson_val *whole) {
  size_t k, count;
  yyjson_val *other, *name = cpb_json_member(element, "name");
  if (!yyjson_is_str(name)) return yyjson_arr_get(whole, i);
  yyjson_arr_foreach(whole, k, count, other) {
    if (yyjson_equals_strn(cpb_json_member(other, "name"), yyjson_get_str(name), yyjson_get_len(name))) return other;
  }
  return NULL;
}

static bool are_elements(yyjson_val *part, yyjson_val *whole, int depth) {
  size_t i, count;
  yyjson_val *element;
  yyjson_arr_foreach(part, i, count, element) {
    yyjson_val *name = cpb_json_member(element, "name");
    bool is_lost = yyjson_is_str(name) && yyjson_get_len(name) == 0;
    if (!is_lost && !is_part(element, same_element(element, i, whole), depth)) return false;
  }
  return true;
}

static bool is_part(yyjson_val *part, yyjson_val *whole, int depth) {
  if (is_empty(part)) return true;
  if (depth == DEPTH) return false;
  if (yyjson_is_obj(part) && yyjson_is_obj(whole)) return are_members(part, whole, depth + 1);
  if (yyjson_is_arr(part) && yyjson_is_arr(whole)) return are_elements(part, whole, depth + 1);
  if (is_zero(part)) return true;
  if (yyjson_is_str(part)) return yyjson_equals_strn(whole, yyjson_get_str(part), yyjson_get_len(part));
  if (yyjson_is_raw(part))
    return yyjson_is_raw(whole) && yyjson_get_len(part) == yyjson_get_len(whole) &&
           memcmp(yyjson_get_raw(part), yyjson_get_raw(whole), yyjson_get_len(part)) == 0;
  return yyjson_is_true(part) && yyjson_is_true(whole);
}

bool cpb_diff_is_part(yyjson_val *part, yyjson_val *whole) { return is_part(part, whole, 0); }
