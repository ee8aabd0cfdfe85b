/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output_schema.c - the JSON Schema of the documents that `gristmill --json` prints (cmd/), one definition
 * per verb. In the text below ' stands for ", so that it can be read; a literal may be 4,095 characters long,
 * hence the parts.
 */
#include "api/output_schema.h"

static const char *const parts[] = {
    "{'$schema': 'https://json-schema.org/draft/2020-12/schema', 'title': 'What gristmill --json "
    "prints', "
    "'description': 'Exactly one document per run.', "
    "'oneOf': [{'$ref': '#/$defs/train'}, {'$ref': '#/$defs/predict'}, {'$ref': '#/$defs/evaluate'}, "
    "{'$ref': '#/$defs/inspect'}, {'$ref': '#/$defs/sql'}, {'$ref': '#/$defs/stages'}, {'$ref': "
    "'#/$defs/help'}, {'$ref': '#/$defs/version'}, {'$ref': '#/$defs/schema'}, {'$ref': "
    "'#/$defs/error'}], "
    "'$defs': {",
    "'error': {'type': 'object', 'required': ['error'], 'additionalProperties': false, "
    "'description': 'instead of any other document, when the command failed', 'properties': {"
    "'error': {'type': 'object', 'properties': {'code': {'type': 'string', 'description': "
    "'GM_ESCHEMA and so on; `gristmill help errors` lists them'}, 'message': {'type': 'string'}, "
    "'hint': {'type': 'string', 'description': 'what to do; may be empty'}, 'exit_status': {'type': "
    "'integer', 'description': 'of the command'}}, 'required': ['code', 'message', 'hint', "
    "'exit_status'], 'additionalProperties': false}"
    "}}, ",
    "'warnings': {'type': 'array', 'items': {'type': 'object', 'properties': {'code': {'type': "
    "'string', 'description': 'stable, as data.skipped'}, 'text': {'type': 'string'}, 'fields': "
    "{'type': 'object', 'description': 'the same facts by name'}}, 'required': ['code', 'text']}, "
    "'description': 'what was warned of; absent when nothing was'}, ",
    "'metrics': {'type': 'object', 'description': 'numbers by metric name; null where a metric is "
    "not defined on these rows'}, ",
    "'column': {'type': 'object', 'required': ['name', 'type'], 'properties': {"
    "'name': {'type': 'string'}, "
    "'type': {'type': 'string', 'description': 'SQL type'}"
    "}}, ",
    "'train': {'type': 'object', 'required': ['verb'], 'properties': {"
    "'verb': {'const': 'train'}, "
    "'task': {'type': ['string', 'null'], 'description': 'binary, multiclass or regression'}, "
    "'why': {'type': 'string', 'description': 'low code: why this task'}, "
    "'columns': {'type': 'array', 'items': {'type': 'object', 'properties': {'name': {'type': "
    "'string'}, 'type': {'type': 'string'}, 'use': {'type': 'string'}, 'why': {'type': 'string'}}, "
    "'required': ['name', 'type', 'use', 'why']}, 'description': 'low code: what is done with each "
    "column'}, "
    "'plan': {'type': 'object', 'description': 'the passes over the data; with --explain the "
    "document ends here'}, "
    "'pipeline': {'type': 'object', 'description': 'with --print-pipeline: the pipeline, and nothing "
    "else but verb'}, "
    "'model': {'type': 'string', 'description': 'path of the model file'}, "
    "'report': {'type': 'string', 'description': 'path of the HTML report'}, "
    "'metrics': {'type': 'object', 'properties': {'train': {'$ref': '#/$defs/metrics'}, 'test': "
    "{'$ref': '#/$defs/metrics'}}, 'required': []}, "
    "'learner': {'type': 'string'}, "
    "'label': {'type': 'string'}, "
    "'rows': {'type': 'object', 'description': 'rows read, train, test, fitted, dropped, "
    "withoutLabel'}, "
    "'split': {'type': 'object', 'description': 'the share asked for and the real one, the seed, and "
    "what was hashed'}, "
    "'invalid': {'type': 'array', 'items': {'type': 'object', 'properties': {'stage': {'type': "
    "'string'}, 'column': {'type': 'string'}, 'rule': {'type': 'string'}, 'values': {'type': "
    "'integer', 'minimum': 0}}, 'required': ['stage', 'column', 'rule', 'values']}, 'description': "
    "'values that handleInvalid decided about'}, "
    "'inexact': {'type': 'array', 'items': {'type': 'object', 'properties': {'column': {'type': "
    "'string'}, 'values': {'type': 'integer', 'minimum': 0}}, 'required': ['column', 'values']}, "
    "'description': 'whole numbers beyond 2^53 that were rounded'}, "
    "'passes': {'type': 'integer', 'minimum': 0, 'description': 'over the rows kept'}, "
    "'iterations': {'type': ['integer', 'null']}, "
    "'converged': {'type': ['boolean', 'null']}, "
    "'steps': {'type': 'object', 'description': 'seconds by step'}, "
    "'seconds': {'type': 'number', 'description': 'from the start of the command to the report'}, "
    "'warnings': {'$ref': '#/$defs/warnings'}"
    "}}, ",
    "'predict': {'type': 'object', 'required': ['verb', 'model', 'output', 'rows', 'seconds'], "
    "'properties': {"
    "'verb': {'const': 'predict'}, "
    "'model': {'type': 'string'}, "
    "'output': {'type': 'string', 'description': 'path of the file written'}, "
    "'rows': {'type': 'integer', 'minimum': 0}, "
    "'seconds': {'type': 'number'}, "
    "'warnings': {'$ref': '#/$defs/warnings'}"
    "}}, ",
    "'evaluate': {'type': 'object', 'required': ['verb', 'model', 'data', 'metrics'], 'properties': {"
    "'verb': {'const': 'evaluate'}, "
    "'model': {'type': 'string'}, "
    "'data': {'type': 'string'}, "
    "'metrics': {'$ref': '#/$defs/metrics'}, "
    "'warnings': {'$ref': '#/$defs/warnings'}"
    "}}, ",
    "'inspect': {'type': 'object', 'required': ['verb', 'model', 'info'], 'properties': {"
    "'verb': {'const': 'inspect'}, "
    "'model': {'type': 'string'}, "
    "'info': {'type': 'object', 'description': 'what gm_model_info answers: format, version, schema, "
    "stages, features, task, labels, metrics, fit, pipeline'}, "
    "'coefficients': {'type': 'array', 'items': {'type': 'object', 'properties': {'feature': "
    "{'type': 'string'}, 'values': {'type': 'array', 'items': {'type': 'number'}, 'description': "
    "'one, or one per class'}}, 'required': ['feature', 'values']}, 'description': 'largest first; "
    "--coefficients N says how many'}, "
    "'intercept': {'type': 'array', 'items': {'type': 'number'}, 'description': 'one, or one per "
    "class'}, "
    "'report': {'type': 'string'}, "
    "'warnings': {'$ref': '#/$defs/warnings'}"
    "}}, ",
    "'sql': {'type': 'object', 'required': ['verb', 'rows'], 'properties': {"
    "'verb': {'const': 'sql'}, "
    "'columns': {'type': 'array', 'items': {'$ref': '#/$defs/column'}}, "
    "'rows': {'description': 'the rows as objects; with -o FILE their number', 'oneOf': [{'type': "
    "'array', 'items': {'type': 'object'}}, {'type': 'integer', 'minimum': 0}]}, "
    "'more': {'type': 'boolean', 'description': 'there are more rows than --limit'}, "
    "'output': {'type': 'string', 'description': 'with -o: path of the file written'}, "
    "'warnings': {'$ref': '#/$defs/warnings'}"
    "}}, ",
    "'stages': {'type': 'object', 'required': ['verb', 'stages', 'evaluators'], 'properties': {"
    "'verb': {'const': 'stages'}, "
    "'stages': {'type': 'array', 'items': {'type': 'object'}, 'description': 'name, kind, summary, "
    "doc, params, state of each'}, "
    "'evaluators': {'type': 'array', 'items': {'type': 'object'}}"
    "}}, ",
    "'help': {'type': 'object', 'required': ['verb'], 'properties': {"
    "'verb': {'const': 'help'}, "
    "'verbs': {'type': 'array', 'items': {'type': 'object'}}, "
    "'topics': {'type': 'array', 'items': {'type': 'object'}}, "
    "'stage': {'type': 'object'}, "
    "'name': {'type': 'string'}, "
    "'arguments': {'type': 'string'}, "
    "'summary': {'type': 'string'}, "
    "'options': {'type': 'array', 'items': {'type': 'object'}}, "
    "'topic': {'type': 'string'}, "
    "'text': {'type': 'string'}"
    "}}, ",
    "'schema': {'type': 'object', 'required': ['$schema'], 'not': {'required': ['verb']}, "
    "'description': 'gristmill schema prints the JSON Schema itself'}, ",
    "'version': {'type': 'object', 'required': ['verb', 'version'], 'properties': {"
    "'verb': {'const': 'version'}, "
    "'version': {'type': 'string'}"
    "}}}}",
};

void gm_output_schema(gm_buf *b)
{
    for (int64_t i = 0; i < GM_COUNT(parts); i++)
        for (const char *p = parts[i]; *p != 0; p++) gm_buf_add(b, *p == '\'' ? "\"" : p, 1);
}
