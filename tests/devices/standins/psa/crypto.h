/* As much of PSA Crypto as the samples use. */
#ifndef STANDIN_PSA_CRYPTO_H
#define STANDIN_PSA_CRYPTO_H

#include "base/sha256.h"

typedef int psa_status_t;
typedef struct psa_hash_operation_t {
  cpb_sha256 sha;
  int active;
} psa_hash_operation_t;

enum { PSA_SUCCESS = 0, PSA_ERROR_BAD_STATE = -137, PSA_ALG_SHA_256 = 0x02000009 };

static inline psa_status_t psa_crypto_init(void) { return PSA_SUCCESS; }

static inline psa_hash_operation_t psa_hash_operation_init(void) { return (psa_hash_operation_t){.active = 0}; }

static inline psa_status_t psa_hash_setup(psa_hash_operation_t *operation, int algorithm) {
  if (operation->active || algorithm != PSA_ALG_SHA_256) return PSA_ERROR_BAD_STATE;
  cpb_sha256_begin(&operation->sha);
  operation->active = 1;
  return PSA_SUCCESS;
}

static inline psa_status_t psa_hash_update(psa_hash_operation_t *operation, const uint8_t *input, size_t length) {
  if (!operation->active) return PSA_ERROR_BAD_STATE;
  cpb_sha256_add(&operation->sha, input, length);
  return PSA_SUCCESS;
}

static inline psa_status_t psa_hash_finish(psa_hash_operation_t *operation, uint8_t *hash, size_t size,
                                           size_t *length) {
  if (!operation->active || size < CPB_SHA256_SIZE) return PSA_ERROR_BAD_STATE;
  cpb_sha256_end(&operation->sha, hash);
  *length = CPB_SHA256_SIZE;
  operation->active = 0;
  return PSA_SUCCESS;
}

static inline psa_status_t psa_hash_abort(psa_hash_operation_t *operation) {
  operation->active = 0;
  return PSA_SUCCESS;
}

#endif
