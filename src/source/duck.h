/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duck.h - the functions of DuckDB's C API in use, declared here once and looked up when the library is
 * opened at first use. Checked against duckdb.h of 1.5.5. duck->query(...) is duckdb_query(...).
 */
#ifndef GM_SOURCE_DUCK_H
#define GM_SOURCE_DUCK_H
#include "base/cx.h"

typedef uint64_t idx_t;
typedef enum duckdb_state { DuckDBSuccess = 0, DuckDBError = 1 } duckdb_state;

#define GM_DUCK_HANDLE(name) \
    typedef struct _##name { \
        void *internal_ptr; \
    } * name
GM_DUCK_HANDLE(duckdb_database);
GM_DUCK_HANDLE(duckdb_connection);
GM_DUCK_HANDLE(duckdb_config);
GM_DUCK_HANDLE(duckdb_prepared_statement);
GM_DUCK_HANDLE(duckdb_extracted_statements);
GM_DUCK_HANDLE(duckdb_data_chunk);
GM_DUCK_HANDLE(duckdb_vector);
GM_DUCK_HANDLE(duckdb_logical_type);
GM_DUCK_HANDLE(duckdb_value);
GM_DUCK_HANDLE(duckdb_scalar_function);
GM_DUCK_HANDLE(duckdb_bind_info);
GM_DUCK_HANDLE(duckdb_init_info);
GM_DUCK_HANDLE(duckdb_function_info);
GM_DUCK_HANDLE(duckdb_client_context);
GM_DUCK_HANDLE(duckdb_expression);
GM_DUCK_HANDLE(duckdb_error_data);
GM_DUCK_HANDLE(duckdb_arrow_options);
GM_DUCK_HANDLE(duckdb_arrow_converted_schema);
GM_DUCK_HANDLE(duckdb_table_function);
GM_DUCK_HANDLE(duckdb_selection_vector);
#undef GM_DUCK_HANDLE

typedef struct duckdb_result {
    idx_t deprecated_column_count, deprecated_row_count, deprecated_rows_changed;
    void *deprecated_columns;
    char *deprecated_error_message;
    void *internal_data;
} duckdb_result;
typedef struct duckdb_query_progress_type {
    double percentage;
    uint64_t rows_processed, total_rows_to_process;
} duckdb_query_progress_type;
typedef struct duckdb_list_entry {
    uint64_t offset, length;
} duckdb_list_entry;
typedef struct duckdb_interval {
    int32_t months, days;
    int64_t micros;
} duckdb_interval;
typedef struct duckdb_hugeint {
    uint64_t lower;
    int64_t upper;
} duckdb_hugeint;

/* duckdb_type, those that are looked at or made. */
enum {
    DUCKDB_TYPE_BOOLEAN = 1,
    DUCKDB_TYPE_TINYINT = 2,
    DUCKDB_TYPE_SMALLINT = 3,
    DUCKDB_TYPE_INTEGER = 4,
    DUCKDB_TYPE_BIGINT = 5,
    DUCKDB_TYPE_UTINYINT = 6,
    DUCKDB_TYPE_USMALLINT = 7,
    DUCKDB_TYPE_UINTEGER = 8,
    DUCKDB_TYPE_UBIGINT = 9,
    DUCKDB_TYPE_FLOAT = 10,
    DUCKDB_TYPE_DOUBLE = 11,
    DUCKDB_TYPE_TIMESTAMP = 12,
    DUCKDB_TYPE_DATE = 13,
    DUCKDB_TYPE_TIME = 14,
    DUCKDB_TYPE_INTERVAL = 15,
    DUCKDB_TYPE_HUGEINT = 16,
    DUCKDB_TYPE_VARCHAR = 17,
    DUCKDB_TYPE_BLOB = 18,
    DUCKDB_TYPE_TIMESTAMP_NS = 22,
    DUCKDB_TYPE_LIST = 24,
    DUCKDB_TYPE_STRUCT = 25,
    DUCKDB_TYPE_TIMESTAMP_TZ = 31,
    DUCKDB_TYPE_ANY = 34,
    DUCKDB_TYPE_SQLNULL = 36
};
enum {
    DUCKDB_ERROR_OUT_OF_RANGE = 1,
    DUCKDB_ERROR_CONVERSION = 2,
    DUCKDB_ERROR_CATALOG = 13,
    DUCKDB_ERROR_PARSER = 14,
    DUCKDB_ERROR_SYNTAX = 22,
    DUCKDB_ERROR_BINDER = 24,
    DUCKDB_ERROR_IO = 28,
    DUCKDB_ERROR_INTERRUPT = 29,
    DUCKDB_ERROR_FATAL = 30,
    DUCKDB_ERROR_INTERNAL = 31,
    DUCKDB_ERROR_INVALID_INPUT = 32,
    DUCKDB_ERROR_OUT_OF_MEMORY = 33,
    DUCKDB_ERROR_PERMISSION = 34,
    DUCKDB_ERROR_HTTP = 38,
    DUCKDB_ERROR_MISSING_EXTENSION = 39
};
enum { DUCKDB_STATEMENT_TYPE_SELECT = 1 };

typedef void (*duckdb_delete_callback_t)(void *);
typedef void *(*duckdb_copy_callback_t)(void *);
typedef void (*duckdb_scalar_function_bind_t)(duckdb_bind_info);
typedef void (*duckdb_scalar_function_init_t)(duckdb_init_info);
typedef void (*duckdb_scalar_function_t)(duckdb_function_info, duckdb_data_chunk, duckdb_vector);
typedef void (*duckdb_table_function_bind_t)(duckdb_bind_info);
typedef void (*duckdb_table_function_init_t)(duckdb_init_info);
typedef void (*duckdb_table_function_t)(duckdb_function_info, duckdb_data_chunk);
struct ArrowSchema;
struct ArrowArray;

/* clang-format off */
#define GM_DUCK_FUNCTIONS(X) \
    X(const char *, library_version, (void)) \
    X(void *, malloc, (size_t)) \
    X(void, free, (void *)) \
    X(duckdb_state, create_config, (duckdb_config *)) \
    X(duckdb_state, set_config, (duckdb_config, const char *, const char *)) \
    X(void, destroy_config, (duckdb_config *)) \
    X(duckdb_state, open_ext, (const char *, duckdb_database *, duckdb_config, char **)) \
    X(void, close, (duckdb_database *)) \
    X(duckdb_state, connect, (duckdb_database, duckdb_connection *)) \
    X(void, disconnect, (duckdb_connection *)) \
    X(void, interrupt, (duckdb_connection)) \
    X(duckdb_query_progress_type, query_progress, (duckdb_connection)) \
    X(void, connection_get_client_context, (duckdb_connection, duckdb_client_context *)) \
    X(idx_t, client_context_get_connection_id, (duckdb_client_context)) \
    X(void, destroy_client_context, (duckdb_client_context *)) \
    X(duckdb_state, query, (duckdb_connection, const char *, duckdb_result *)) \
    X(void, destroy_result, (duckdb_result *)) \
    X(const char *, result_error, (duckdb_result *)) \
    X(int, result_error_type, (duckdb_result *)) \
    X(idx_t, column_count, (duckdb_result *)) \
    X(const char *, column_name, (duckdb_result *, idx_t)) \
    X(duckdb_logical_type, column_logical_type, (duckdb_result *, idx_t)) \
    X(idx_t, rows_changed, (duckdb_result *)) \
    X(duckdb_data_chunk, fetch_chunk, (duckdb_result)) \
    X(duckdb_state, prepare, (duckdb_connection, const char *, duckdb_prepared_statement *)) \
    X(const char *, prepare_error, (duckdb_prepared_statement)) \
    X(void, destroy_prepare, (duckdb_prepared_statement *)) \
    X(int, prepared_statement_type, (duckdb_prepared_statement)) \
    X(duckdb_state, execute_prepared_streaming, (duckdb_prepared_statement, duckdb_result *)) \
    X(idx_t, extract_statements, (duckdb_connection, const char *, duckdb_extracted_statements *)) \
    X(const char *, extract_statements_error, (duckdb_extracted_statements)) \
    X(void, destroy_extracted, (duckdb_extracted_statements *)) \
    X(idx_t, data_chunk_get_size, (duckdb_data_chunk)) \
    X(idx_t, data_chunk_get_column_count, (duckdb_data_chunk)) \
    X(duckdb_vector, data_chunk_get_vector, (duckdb_data_chunk, idx_t)) \
    X(void, destroy_data_chunk, (duckdb_data_chunk *)) \
    X(void *, vector_get_data, (duckdb_vector)) \
    X(uint64_t *, vector_get_validity, (duckdb_vector)) \
    X(void, vector_ensure_validity_writable, (duckdb_vector)) \
    X(duckdb_logical_type, vector_get_column_type, (duckdb_vector)) \
    X(void, vector_assign_string_element_len, (duckdb_vector, idx_t, const char *, idx_t)) \
    X(duckdb_vector, struct_vector_get_child, (duckdb_vector, idx_t)) \
    X(duckdb_vector, list_vector_get_child, (duckdb_vector)) \
    X(duckdb_state, list_vector_reserve, (duckdb_vector, idx_t)) \
    X(duckdb_state, list_vector_set_size, (duckdb_vector, idx_t)) \
    X(int, get_type_id, (duckdb_logical_type)) \
    X(duckdb_logical_type, create_logical_type, (int)) \
    X(duckdb_logical_type, create_list_type, (duckdb_logical_type)) \
    X(duckdb_logical_type, create_struct_type, (duckdb_logical_type *, const char **, idx_t)) \
    X(void, destroy_logical_type, (duckdb_logical_type *)) \
    X(uint64_t, get_uint64, (duckdb_value)) \
    X(void, destroy_value, (duckdb_value *)) \
    X(bool, expression_is_foldable, (duckdb_expression)) \
    X(duckdb_error_data, expression_fold, (duckdb_client_context, duckdb_expression, duckdb_value *)) \
    X(void, destroy_expression, (duckdb_expression *)) \
    X(bool, error_data_has_error, (duckdb_error_data)) \
    X(const char *, error_data_message, (duckdb_error_data)) \
    X(void, destroy_error_data, (duckdb_error_data *)) \
    X(duckdb_scalar_function, create_scalar_function, (void)) \
    X(void, destroy_scalar_function, (duckdb_scalar_function *)) \
    X(void, scalar_function_set_name, (duckdb_scalar_function, const char *)) \
    X(void, scalar_function_add_parameter, (duckdb_scalar_function, duckdb_logical_type)) \
    X(void, scalar_function_set_varargs, (duckdb_scalar_function, duckdb_logical_type)) \
    X(void, scalar_function_set_return_type, (duckdb_scalar_function, duckdb_logical_type)) \
    X(void, scalar_function_set_special_handling, (duckdb_scalar_function)) \
    X(void, scalar_function_set_volatile, (duckdb_scalar_function)) \
    X(void, scalar_function_set_extra_info, (duckdb_scalar_function, void *, duckdb_delete_callback_t)) \
    X(void, scalar_function_set_bind, (duckdb_scalar_function, duckdb_scalar_function_bind_t)) \
    X(void, scalar_function_set_init, (duckdb_scalar_function, duckdb_scalar_function_init_t)) \
    X(void, scalar_function_set_function, (duckdb_scalar_function, duckdb_scalar_function_t)) \
    X(duckdb_state, register_scalar_function, (duckdb_connection, duckdb_scalar_function)) \
    X(void *, scalar_function_bind_get_extra_info, (duckdb_bind_info)) \
    X(duckdb_expression, scalar_function_bind_get_argument, (duckdb_bind_info, idx_t)) \
    X(idx_t, scalar_function_bind_get_argument_count, (duckdb_bind_info)) \
    X(void, scalar_function_get_client_context, (duckdb_bind_info, duckdb_client_context *)) \
    X(void, scalar_function_set_bind_data, (duckdb_bind_info, void *, duckdb_delete_callback_t)) \
    X(void, scalar_function_set_bind_data_copy, (duckdb_bind_info, duckdb_copy_callback_t)) \
    X(void, scalar_function_bind_set_error, (duckdb_bind_info, const char *)) \
    X(void *, scalar_function_init_get_bind_data, (duckdb_init_info)) \
    X(void *, scalar_function_init_get_extra_info, (duckdb_init_info)) \
    X(void, scalar_function_init_get_client_context, (duckdb_init_info, duckdb_client_context *)) \
    X(void, scalar_function_init_set_state, (duckdb_init_info, void *, duckdb_delete_callback_t)) \
    X(void, scalar_function_init_set_error, (duckdb_init_info, const char *)) \
    X(void *, scalar_function_get_state, (duckdb_function_info)) \
    X(void *, scalar_function_get_bind_data, (duckdb_function_info)) \
    X(void, scalar_function_set_error, (duckdb_function_info, const char *)) \
    X(duckdb_arrow_options, result_get_arrow_options, (duckdb_result *)) \
    X(void, destroy_arrow_options, (duckdb_arrow_options *)) \
    X(duckdb_error_data, to_arrow_schema, \
      (duckdb_arrow_options, duckdb_logical_type *, const char **, idx_t, struct ArrowSchema *)) \
    X(duckdb_error_data, data_chunk_to_arrow, \
      (duckdb_arrow_options, duckdb_data_chunk, struct ArrowArray *)) \
    X(duckdb_error_data, schema_from_arrow, \
      (duckdb_connection, struct ArrowSchema *, duckdb_arrow_converted_schema *)) \
    X(duckdb_error_data, data_chunk_from_arrow, \
      (duckdb_connection, struct ArrowArray *, duckdb_arrow_converted_schema, duckdb_data_chunk *)) \
    X(void, destroy_arrow_converted_schema, (duckdb_arrow_converted_schema *)) \
    X(duckdb_selection_vector, create_selection_vector, (idx_t)) \
    X(void, destroy_selection_vector, (duckdb_selection_vector)) \
    X(uint32_t *, selection_vector_get_data_ptr, (duckdb_selection_vector)) \
    X(void, vector_copy_sel, (duckdb_vector, duckdb_vector, duckdb_selection_vector, idx_t, idx_t, idx_t)) \
    X(void, data_chunk_set_size, (duckdb_data_chunk, idx_t)) \
    X(duckdb_logical_type, create_decimal_type, (uint8_t, uint8_t)) \
    X(duckdb_logical_type, create_array_type, (duckdb_logical_type, idx_t)) \
    X(duckdb_logical_type, create_map_type, (duckdb_logical_type, duckdb_logical_type)) \
    X(duckdb_table_function, create_table_function, (void)) \
    X(void, destroy_table_function, (duckdb_table_function *)) \
    X(void, table_function_set_name, (duckdb_table_function, const char *)) \
    X(void, table_function_add_parameter, (duckdb_table_function, duckdb_logical_type)) \
    X(void, table_function_set_extra_info, (duckdb_table_function, void *, duckdb_delete_callback_t)) \
    X(void, table_function_set_bind, (duckdb_table_function, duckdb_table_function_bind_t)) \
    X(void, table_function_set_init, (duckdb_table_function, duckdb_table_function_init_t)) \
    X(void, table_function_set_local_init, (duckdb_table_function, duckdb_table_function_init_t)) \
    X(void, table_function_set_function, (duckdb_table_function, duckdb_table_function_t)) \
    X(void, table_function_supports_projection_pushdown, (duckdb_table_function, bool)) \
    X(duckdb_state, register_table_function, (duckdb_connection, duckdb_table_function)) \
    X(void *, bind_get_extra_info, (duckdb_bind_info)) \
    X(duckdb_value, bind_get_parameter, (duckdb_bind_info, idx_t)) \
    X(void, bind_add_result_column, (duckdb_bind_info, const char *, duckdb_logical_type)) \
    X(void, bind_set_bind_data, (duckdb_bind_info, void *, duckdb_delete_callback_t)) \
    X(void, bind_set_cardinality, (duckdb_bind_info, idx_t, bool)) \
    X(void, bind_set_error, (duckdb_bind_info, const char *)) \
    X(void *, init_get_bind_data, (duckdb_init_info)) \
    X(void, init_set_init_data, (duckdb_init_info, void *, duckdb_delete_callback_t)) \
    X(idx_t, init_get_column_count, (duckdb_init_info)) \
    X(idx_t, init_get_column_index, (duckdb_init_info, idx_t)) \
    X(void, init_set_max_threads, (duckdb_init_info, idx_t)) \
    X(void, init_set_error, (duckdb_init_info, const char *)) \
    X(void *, function_get_bind_data, (duckdb_function_info)) \
    X(void *, function_get_init_data, (duckdb_function_info)) \
    X(void, function_set_error, (duckdb_function_info, const char *))
/* clang-format on */

typedef struct gm_duck {
#define GM_DUCK_MEMBER(type, name, args) type(*name) args;
    GM_DUCK_FUNCTIONS(GM_DUCK_MEMBER)
#undef GM_DUCK_MEMBER
    void *handle;
    char path[4096]; /* what was opened; httpfs.duckdb_extension is looked for beside it */
} gm_duck;

/* Opens the library once in the process: $GRISTMILL_DUCKDB, libduckdb.so beside libgristmill.so, the loader's
 * search. */
gm_code gm_duck_open(gm_cx *cx, const gm_duck **out) GM_NODISCARD;
/* For callbacks, which are given nothing that leads to it. */
const gm_duck *gm_duck_opened(void);

static inline bool gm_duck_valid(const uint64_t *validity, int64_t i)
{
    return validity == NULL || (validity[i >> 6] >> (i & 63) & 1);
}
#endif
