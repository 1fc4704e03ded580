/* What a handler that runs in a sandbox implements and may call. C11, no library needed.
 *
 * One source builds as a shared object for the process executor and, for wasm32, as a module.
 * The format of both blobs: sandbox/BLOB.md. Any fault in here ends at most the sandbox. */
#ifndef BULKHEAD_GUEST_H
#define BULKHEAD_GUEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__wasm__)
#define BULKHEAD_IMPORT(name) __attribute__((import_module("bulkhead"), import_name(#name)))
#define BULKHEAD_EXPORT(name) __attribute__((export_name(#name)))
#else
#define BULKHEAD_IMPORT(name) __attribute__((visibility("default")))
#define BULKHEAD_EXPORT(name) __attribute__((visibility("default")))
#endif

/* --- what the guest implements */

/* Answers one request. `request` is a blob that the server made, so it is well formed; it is valid
 * until the return. `response` is room for at most `response_bytes_max` bytes, zeroed or not.
 * Returns the length of the blob that was written there, or one of the codes below. Called once at
 * a time; what globals hold stays until the sandbox is recycled, which may be at any time. */
int32_t bulkhead_handle(const uint8_t* request, uint32_t request_bytes, uint8_t* response,
                        uint32_t response_bytes_max) BULKHEAD_EXPORT(bulkhead_handle);

enum {
  BULKHEAD_FAILED = -1,    /* the same outcome as an exception */
  BULKHEAD_TOO_LARGE = -2, /* the response did not fit */
  BULKHEAD_NO_MEMORY = -3  /* an allocation failed; the sandbox is recycled */
};

/* --- what the guest may call during bulkhead_handle */

/* Time left until the request is cut off, in nanoseconds, never negative. */
int64_t bulkhead_wall_left_ns(void) BULKHEAD_IMPORT(wall_left_ns);
int64_t bulkhead_cpu_left_ns(void) BULKHEAD_IMPORT(cpu_left_ns);
/* Memory that the sandbox may hold in all, in bytes. */
uint64_t bulkhead_memory_bytes_max(void) BULKHEAD_IMPORT(memory_bytes_max);
/* A line for the owner of the handler. What does not fit into the request's share is dropped. */
void bulkhead_log(const char* text, uint32_t text_bytes) BULKHEAD_IMPORT(log);

/* --- the request: views, no copies */

typedef struct {
  const char* data; /* not terminated */
  uint32_t bytes;
} bulkhead_text;

typedef struct {
  bulkhead_text name;
  bulkhead_text value;
} bulkhead_field;

enum { BULKHEAD_MAGIC = 0x31424842, BULKHEAD_HEAD_BYTES = 24, BULKHEAD_FIELD_BYTES = 8 };

static inline uint32_t bulkhead_get_u32(const uint8_t* from) {
  return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
         (uint32_t)from[3] << 24;
}

static inline void bulkhead_put_u32(uint8_t* to, uint32_t value) {
  to[0] = (uint8_t)(value & 255u);
  to[1] = (uint8_t)(value >> 8 & 255u);
  to[2] = (uint8_t)(value >> 16 & 255u);
  to[3] = (uint8_t)(value >> 24);
}

/* Walks the fields in their order: start with offset 0; 1 while there is another one. */
static inline int bulkhead_next_field(const uint8_t* blob, uint32_t* offset,
                                      bulkhead_field* field) {
  if (*offset == 0) *offset = BULKHEAD_HEAD_BYTES;
  if (*offset >= bulkhead_get_u32(blob + 16)) return 0;
  field->name.bytes = bulkhead_get_u32(blob + *offset);
  field->value.bytes = bulkhead_get_u32(blob + *offset + 4);
  field->name.data = (const char*)blob + *offset + BULKHEAD_FIELD_BYTES;
  field->value.data = field->name.data + field->name.bytes;
  *offset += BULKHEAD_FIELD_BYTES + field->name.bytes + field->value.bytes;
  return 1;
}

/* The first field of that exact name (names of requests are in lower case); empty: none. The
 * server names what is not a field of the request with a colon: ":method", ":target". */
static inline bulkhead_text bulkhead_find(const uint8_t* blob, const char* name) {
  const uint32_t bytes = (uint32_t)strlen(name);
  bulkhead_text none = {"", 0};
  bulkhead_field field;
  uint32_t offset = 0;
  while (bulkhead_next_field(blob, &offset, &field))
    if (field.name.bytes == bytes && memcmp(field.name.data, name, bytes) == 0) return field.value;
  return none;
}

static inline bulkhead_text bulkhead_content(const uint8_t* blob) {
  bulkhead_text content;
  content.data = (const char*)blob + bulkhead_get_u32(blob + 16);
  content.bytes = bulkhead_get_u32(blob + 20);
  return content;
}

/* --- the response: written in place, fields first, then content */

typedef struct {
  uint8_t* blob;
  uint32_t bytes_max;
  uint32_t bytes;      /* written so far */
  uint32_t head_bytes; /* 0 until content begins */
  uint32_t field_count;
  int is_broken; /* did not fit, or a field came after content */
} bulkhead_response;

static inline void bulkhead_begin(bulkhead_response* to, uint8_t* room, uint32_t bytes_max,
                                  uint32_t status) {
  to->blob = room;
  to->bytes_max = bytes_max;
  to->bytes = BULKHEAD_HEAD_BYTES;
  to->head_bytes = 0;
  to->field_count = 0;
  to->is_broken = bytes_max < BULKHEAD_HEAD_BYTES;
  if (!to->is_broken) bulkhead_put_u32(room + 8, status);
}

/* The whole room that is left, or null when `bytes` of it are too many. */
static inline uint8_t* bulkhead_reserve(bulkhead_response* to, uint32_t bytes) {
  if (to->is_broken || bytes > to->bytes_max - to->bytes) {
    to->is_broken = 1;
    return NULL; /* NOLINT(modernize-use-nullptr): this is C, too */
  }
  return to->blob + to->bytes;
}

static inline void bulkhead_add_field(bulkhead_response* to, const char* name, uint32_t name_bytes,
                                      const char* value, uint32_t value_bytes) {
  const uint64_t bytes = (uint64_t)BULKHEAD_FIELD_BYTES + name_bytes + value_bytes;
  uint8_t* room;
  if (to->head_bytes != 0) to->is_broken = 1;
  room = bulkhead_reserve(to, bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes);
  if (!room) return;
  bulkhead_put_u32(room, name_bytes);
  bulkhead_put_u32(room + 4, value_bytes);
  memcpy(room + BULKHEAD_FIELD_BYTES, name, name_bytes);
  memcpy(room + BULKHEAD_FIELD_BYTES + name_bytes, value, value_bytes);
  to->bytes += (uint32_t)bytes;
  to->field_count += 1;
}

/* To write content without a copy: reserve, write, then say here how much it was. */
static inline void bulkhead_add_written(bulkhead_response* to, uint32_t bytes) {
  if (!bulkhead_reserve(to, bytes)) return;
  if (to->head_bytes == 0) to->head_bytes = to->bytes;
  to->bytes += bytes;
}

static inline void bulkhead_add_content(bulkhead_response* to, const char* data, uint32_t bytes) {
  uint8_t* room = bulkhead_reserve(to, bytes);
  if (!room) return;
  memcpy(room, data, bytes);
  bulkhead_add_written(to, bytes);
}

/* What bulkhead_handle returns. */
static inline int32_t bulkhead_finish(bulkhead_response* to) {
  if (to->is_broken || to->bytes > INT32_MAX) return BULKHEAD_TOO_LARGE;
  if (to->head_bytes == 0) to->head_bytes = to->bytes;
  bulkhead_put_u32(to->blob, BULKHEAD_MAGIC);
  bulkhead_put_u32(to->blob + 4, to->bytes);
  bulkhead_put_u32(to->blob + 12, to->field_count);
  bulkhead_put_u32(to->blob + 16, to->head_bytes);
  bulkhead_put_u32(to->blob + 20, to->bytes - to->head_bytes);
  return (int32_t)to->bytes;
}

#ifdef __cplusplus
}
#endif

#endif
