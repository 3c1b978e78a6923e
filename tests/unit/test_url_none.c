/* A build without libcurl (exchange_none.c, which is linked before the library's). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpb/open.h"
#include "host/url/exchange.h"

static void opening_a_url_says_how_to_get_it(void **state) {
  (void)state;
  const cpb_url_options urls = {.struct_size = sizeof urls};
  const cpb_model_file_options how = {.struct_size = sizeof how, .urls = &urls};
  const cpb_file_options options = {.struct_size = sizeof options, .urls = &urls};
  cpb_error error;
  assert_null(cpb_url_open(NULL, "https://host/x", &urls, &error));
  assert_int_equal(error.code, CPB_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "compiled without libcurl. Build it with -DCPB_WITH_CURL=ON"));
  assert_null(cpb_model_file_open(NULL, "s3://bucket/model/", &how, &error));
  assert_int_equal(error.code, CPB_E_UNSUPPORTED);
  assert_int_equal(cpb_file_merge("https://host/x", "/nonexistent/y", &options, &error), CPB_E_UNSUPPORTED);
}

static void the_rest_does_nothing(void **state) {
  (void)state;
  const cpb_request request = {.url = "http://host/"};
  cpb_error error = {.code = CPB_OK};
  assert_null(cpb_exchange_beside(NULL));
  cpb_exchange_start(NULL, &request, NULL);
  assert_int_equal(cpb_exchange_finish(NULL, &error), CPB_REFUSED);
  cpb_exchange_cancel(NULL);
  assert_null(cpb_exchange_led_to(NULL));
  assert_int_equal(error.code, CPB_E_UNSUPPORTED);
  assert_false(cpb_exchange_can_sign(NULL));
  assert_null(cpb_exchange_environment.variable("PATH"));
  assert_int_equal(cpb_exchange_environment.read("/", NULL), ENOENT);
  assert_int_equal(cpb_exchange_now(), 0);
  assert_int_equal(cpb_url_clock(), 0);
  cpb_exchange_pause(1000000);
  cpb_exchange_free(NULL);
}

/* Without `urls` a path is a path, whatever it looks like. */
static void only_who_allows_urls_gets_them(void **state) {
  (void)state;
  cpb_error error;
  assert_null(cpb_model_file_open(NULL, "https://host/x", NULL, &error));
  assert_int_equal(error.code, CPB_E_NOT_FOUND);
  assert_string_equal(error.message, "No such file or directory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opening_a_url_says_how_to_get_it),
      cmocka_unit_test(the_rest_does_nothing),
      cmocka_unit_test(only_who_allows_urls_gets_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
