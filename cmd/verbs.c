/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs.c - the two tables: verbs and options. Parsing, help, "did you mean" and shell completion read them;
 * a new option is one row here and one cmd_value() in its verb.
 */
#include "cmd.h"

const cmd_verb cmd_verbs[] = {
    {"train", "FILE [a.b=c ...]", V_TRAIN, 1, -1, CMD_FILE, NULL, cmd_train,
     "train a model from a data file or a pipeline file",
     "FILE is either data (CSV, Parquet, JSON lines, Arrow; a glob is fine; - is standard input) and "
     "then --label names the column to predict, or a pipeline file (YAML or JSON, see `gristmill help "
     "pipeline`).\n"
     "\n"
     "From data alone the task is decided from the label: two values make it binary, a few more "
     "multiclass, numbers regression. Every column is looked at: numbers are imputed and scaled, "
     "categories indexed and one-hot encoded, dates and times cut into parts, long texts hashed, ids "
     "left out. What was decided is printed; --print-pipeline gives the pipeline file it stands for, to "
     "be edited and trained.\n"
     "\n"
     "a.b=c after FILE overrides what the pipeline says: split.test=0.3, "
     "LogisticRegression.regParam=0.1, stages.2.maxIter=5.\n"
     "\n"
     "The model goes to --model, else where the pipeline says, else to NAME.gm in the current folder, "
     "where NAME is FILE's without its suffix; the report beside it as NAME.html.",
     "  gristmill train flights.parquet --label late\n"
     "  gristmill train flights.csv --label late --exclude dep_delay --read nullstr=NA\n"
     "  gristmill train flights.csv --label late --print-pipeline > flights.yaml\n"
     "  gristmill train flights.yaml LogisticRegression.regParam=0.01 --model late.gm\n"},
    {"predict", "MODEL DATA", V_PREDICT, 2, 2, CMD_FILE, NULL, cmd_predict,
     "add a model's predictions to the rows of a table",
     "Writes the columns of DATA as they are and behind them the model's: prediction, for a classifier "
     "also probability and rawPrediction. Rows keep their order. Columns are matched by name; the label "
     "is not needed. Without -o the rows go to standard output as CSV.",
     "  gristmill predict late.gm new.csv\n"
     "  gristmill predict late.gm new.parquet -o scored.parquet\n"
     "  cat new.csv | gristmill predict late.gm - --columns prediction\n"},
    {"evaluate", "MODEL DATA", V_EVALUATE, 2, 2, CMD_FILE, NULL, cmd_evaluate,
     "measure a model on a table that has the label",
     "Prints all metrics that fit the model's task. A metric that is not defined on these rows (the area "
     "under a curve with one class only) is shown as undefined, never as 0.",
     "  gristmill evaluate late.gm december.csv\n"
     "  gristmill evaluate late.gm december.csv --json\n"},
    {"inspect", "MODEL", V_INSPECT, 1, 1, CMD_FILE, NULL, cmd_inspect, "show what is in a model file",
     "Prints the columns a model expects, its stages with their parameters, the coefficients by feature "
     "name (largest first), how the fit went and the metrics.",
     "  gristmill inspect late.gm\n"
     "  gristmill inspect late.gm --coefficients 50\n"
     "  gristmill inspect late.gm --report late.html\n"},
    {"sql", "QUERY", V_SQL, 1, 1, CMD_TEXT, NULL, cmd_sql, "run a query over files and print the rows",
     "QUERY is DuckDB's SQL; a file name in quotes stands for its rows. Prints the first rows as a "
     "table, or writes all of them with -o.",
     "  gristmill sql \"SELECT carrier, count(*) FROM 'flights.csv' GROUP BY ALL ORDER BY 2 DESC\"\n"
     "  gristmill sql \"SELECT * FROM 'logs/*.parquet' WHERE status >= 500\" -o errors.csv\n"},
    {"stages", "", V_STAGES, 0, 0, CMD_TEXT, NULL, cmd_stages, "list the stages that pipelines are made of",
     "Each stage has a page: `gristmill help StringIndexer`.",
     "  gristmill stages\n"
     "  gristmill stages --json\n"},
    {"help", "[VERB | STAGE | EVALUATOR | TOPIC]", V_HELP, 0, 1, CMD_STAGE, NULL, cmd_help,
     "explain a verb, a stage, an evaluator or a topic", "`gristmill help topics` lists the topics.",
     "  gristmill help train\n"
     "  gristmill help LogisticRegression\n"
     "  gristmill help pipeline\n"},
    {"schema", "[pipeline | output | STAGE]", V_SCHEMA, 0, 1, CMD_STAGE, NULL, cmd_schema,
     "print a JSON Schema",
     "pipeline (the default) describes pipeline files, for editors that complete and check YAML; output "
     "what --json prints; a stage's name its parameters.",
     "  gristmill schema > pipeline.schema.json\n"
     "  gristmill schema StringIndexer\n"},
    {"completion", "bash | zsh | fish", V_COMPLETION, 1, 1, CMD_WORDS, "bash|zsh|fish", cmd_completion,
     "print a completion script for a shell", "",
     "  source <(gristmill completion bash)\n"
     "  gristmill completion zsh > ~/.zfunc/_gristmill\n"
     "  gristmill completion fish > ~/.config/fish/completions/gristmill.fish\n"},
    {"version", "", V_VERSION, 0, 0, CMD_TEXT, NULL, cmd_version, "print the version", "",
     "  gristmill version\n"},
    {0},
};

const cmd_option cmd_options[] = {
    {"label", 0, "COLUMN", CMD_TEXT, false, V_TRAIN, NULL,
     "the column to predict, when FILE is data; its values decide the task"},
    {"learner", 0, "STAGE", CMD_LEARNER, false, V_TRAIN, NULL,
     "the learner (default: LogisticRegression for classes, LinearRegression for numbers)"},
    {"exclude", 0, "COLUMN", CMD_TEXT, true, V_TRAIN, NULL,
     "a column the model must not use: unknown when predictions are made, or an answer in disguise "
     "(repeatable)"},
    {"keep", 0, "COLUMN", CMD_TEXT, true, V_TRAIN, NULL,
     "a column to use though it looks like an id or like the answer in disguise (repeatable)"},
    {"test", 0, "SHARE", CMD_REAL, false, V_TRAIN, NULL,
     "the share of the rows held out to measure on (default: 0.2, or what the pipeline says)"},
    {"data", 0, "FILE", CMD_FILE, false, V_TRAIN, NULL, "read this file in place of the pipeline's source"},
    {"init", 0, "MODEL", CMD_FILE, false, V_TRAIN, NULL,
     "start from the learner of this model file: same features and classes, sooner at the optimum"},
    {"model", 0, "FILE", CMD_FILE, false, V_TRAIN, NULL, "where the model goes (default: NAME.gm)"},
    {"report", 0, "FILE", CMD_FILE, false, V_TRAIN | V_INSPECT, NULL,
     "write the HTML report there (train's default: NAME.html)"},
    {"explain", 0, NULL, CMD_FLAG, false, V_TRAIN, NULL,
     "print the plan (which passes over the data, what each does) and stop"},
    {"print-pipeline", 0, NULL, CMD_FLAG, false, V_TRAIN, NULL, "print the pipeline as YAML and stop"},
    {"output", 'o', "FILE", CMD_FILE, false, V_PREDICT | V_SQL, NULL,
     "write the rows there; - is standard output"},
    {"format", 0, "FORMAT", CMD_WORDS, false, V_PREDICT | V_SQL, "csv|parquet|json",
     "the format written: csv, parquet or json (lines); default: by FILE's suffix, csv for standard "
     "output"},
    {"columns", 0, "NAMES", CMD_TEXT, true, V_PREDICT, NULL,
     "the outputs to add, parted by commas (default: prediction, probability, rawPrediction)"},
    {"coefficients", 0, "N", CMD_WHOLE, false, V_INSPECT, NULL,
     "how many coefficients to list (default: 20; 0: all)"},
    {"limit", 0, "N", CMD_WHOLE, false, V_SQL, NULL, "how many rows to print (default: 40; 0: all)"},
    {"read", 0, "KEY=VALUE", CMD_PAIR, true, V_READS | V_SQL, NULL,
     "how to read the data file: delim=';', nullstr=NA, types.id=VARCHAR, ... (repeatable; `gristmill "
     "help reading`)"},
    {"threads", 0, "N", CMD_WHOLE, false, V_WORKS, NULL,
     "threads to work with (default: the cores this process may use)"},
    {"memory", 0, "SIZE", CMD_TEXT, false, V_WORKS, NULL,
     "memory to stay under, as 2GB (default: 80 % of what there is)"},
    {"seed", 0, "N", CMD_WHOLE, false, V_WORKS, NULL,
     "the seed of the split and of all that is drawn (default: 0)"},
    {"json", 0, NULL, CMD_FLAG, false, V_ALL, NULL,
     "print one JSON document (`gristmill schema output` describes it)"},
    {"quiet", 'q', NULL, CMD_FLAG, false, V_ALL, NULL, "no progress and no notes; warnings remain"},
    {"help", 'h', NULL, CMD_FLAG, false, V_ALL, NULL, "explain the verb"},
    {0},
};
