// Statements that do more than read, or would read what is not the ledger: each is refused on every way in.

/** Where the books and other files stand that a statement might reach. */
export interface Places {
  readonly books: string
  /** A folder outside the books with `canary.csv` in it. */
  readonly outside: string
  /** The folder for temporary files. */
  readonly temporary: string
}

type Hazard = readonly [kind: string, sql: (places: Places) => string]

const each = (kind: string, ...statements: ((places: Places) => string)[]): Hazard[] =>
  statements.map((sql) => [kind, sql])

const plain = (kind: string, ...statements: string[]): Hazard[] => statements.map((sql) => [kind, () => sql])

const OVERWRITE = '(format csv, use_tmp_file false)'

export const HAZARDS: readonly Hazard[] = [
  ...each(
    'overwrites the ledger',
    ({ books }) => `explain analyze copy (select 'x') to '${books}/ledger.duckdb' ${OVERWRITE}`,
    ({ books }) => `explain (analyze) copy (select 'x') to '${books}/ledger.duckdb' ${OVERWRITE}`,
    ({ books }) =>
      `explain (analyze, format json) copy (select 'x') to '${books}/ledger.duckdb' ${OVERWRITE}`,
    ({ books }) => `EXPLAIN/**/ANALYZE copy (select 'x') to '${books}/ledger.duckdb' ${OVERWRITE}`,
    ({ books }) =>
      `/* a /* b */ c */ explain analyse -- d\n copy (select 1) to '${books}/ledger.duckdb' ${OVERWRITE}`,
    ({ books }) =>
      `explain /* /* */ select 1 /* */ */ analyze copy (select 1) to '${books}/ledger.duckdb' ${OVERWRITE}`,
    ({ books }) => `copy (select 'x') to '${books}/ledger.duckdb' ${OVERWRITE}`,
    ({ books }) => `explain analyze copy (select 'x') to '${books}/ledger.duckdb.wal' ${OVERWRITE}`,
    ({ books }) => `explain copy (select 'x') to '${books}/ledger.duckdb' ${OVERWRITE}`,
    ({ books }) => `from query('copy (select 1) to ''${books}/ledger.duckdb'' (format csv)')`,
  ),
  ...each(
    'writes elsewhere',
    ({ outside }) => `explain analyze copy (select 'x') to '${outside}/out.csv'`,
    ({ temporary }) => `explain analyze copy (select 'x') to '${temporary}/out.csv'`,
    ({ temporary }) => `copy (select 'x') to '${temporary}/out.parquet'`,
    ({ outside }) => `copy (select 'x') to '${outside}/parts' (format csv, partition_by (x))`,
    ({ outside }) => `export database '${outside}/all'`,
    ({ outside }) => `import database '${outside}/all'`,
    () => 'copy from database ledger to other',
    ({ outside }) => `attach '${outside}/other.duckdb'`,
  ),
  ...each(
    'reads files',
    ({ books }) => `from read_blob('${books}/ledger.duckdb')`,
    ({ books }) => `from read_text('${books}/ledger.duckdb')`,
    ({ books }) => `from read_blob('${books}/ledger.duckdb.wal')`,
    ({ books }) => `from read_duckdb('${books}/ledger.duckdb')`,
    ({ books }) => `from '${books}/ledger.duckdb'`,
    ({ books }) => `from glob('${books}/*')`,
    ({ temporary }) => `from glob('${temporary}/*')`,
    ({ temporary }) => `from read_text('${temporary}/*')`,
    ({ outside }) => `from read_csv('${outside}/canary.csv')`,
    ({ outside }) => `from '${outside}/canary.csv'`,
    ({ outside }) => `from sniff_csv('${outside}/canary.csv')`,
    ({ outside }) => `from read_json('${outside}/canary.csv')`,
    ({ outside }) => `from parquet_metadata('${outside}/canary.csv')`,
    ({ outside }) => `from query_table('${outside}/canary.csv')`,
    ({ outside }) => `from query('from read_csv(''${outside}/canary.csv'')')`,
    ({ outside }) => `copy balances from '${outside}/canary.csv'`,
    ({ outside }) => `from sql_auto_complete('from ''${outside}/')`,
    ({ outside }) => `select * from balances b, read_text('${outside}/canary.csv')`,
  ),
  ...plain(
    'reaches out',
    "from read_csv('http://127.0.0.1:1/x.csv')",
    "from read_parquet('s3://bucket/x.parquet')",
    'install httpfs',
    'load httpfs',
    'load json',
    'update extensions',
    "select getenv('HOME')",
    'from duckdb_secrets()',
    "from which_secret('s3://x', 's3')",
    "create secret (type http, bearer_token 'x')",
  ),
  ...each(
    'logs, profiles or changes DuckDB',
    () => 'from enable_logging()',
    () => "from enable_logging(storage := 'stdout')",
    ({ outside }) => `from enable_logging(storage := 'file', storage_path := '${outside}/log')`,
    () => 'call enable_logging()',
    () => 'explain analyze call enable_logging()',
    () => 'explain analyze from enable_logging()',
    () => "from query('from enable_logging()')",
    () => "from query(if(current_query() like 'explain%', 'select 1', 'from enable_logging()'))",
    () => "from query(if(random() < 0.5, 'select 1', 'from enable_logging()'))",
    () => "from json_execute_serialized_sql(json_serialize_sql('from enable_logging()'))",
    () => 'select (select count(*) from enable_logging())',
    () => 'with l as materialized (from enable_logging()) from l',
    () => 'select 1 limit (select count(*) from enable_logging())',
    () => 'from balances where exists (from SYSTEM.main."Enable_Logging"())',
    () => 'from enable_logging() where false',
    () => 'describe from enable_logging()',
    () => 'summarize from enable_logging()',
    () => 'from duckdb_logs',
    () => 'from truncate_duckdb_logs()',
    () => 'from enable_profiling()',
    ({ outside }) => `from enable_profiling(save_location := '${outside}/profile.json')`,
    () => "pragma enable_profiling = 'json'",
    ({ outside }) => `pragma profiling_output = '${outside}/profile.json'`,
    () => 'from checkpoint()',
    () => 'from force_checkpoint()',
    () => 'from enable_peg_parser()',
    () => 'from duckdb_temporary_files()',
    () => 'pragma version',
    () => "pragma table_info('balances')",
  ),
  ...plain(
    'is no question',
    "set memory_limit = '100GB'",
    "set disabled_filesystems = ''",
    'set variable x = 1',
    "set search_path = 'main'",
    'reset lock_configuration',
    'use memory',
    'prepare p as select 1',
    'execute p',
    'deallocate p',
    'create temp table t as select 1',
    'create temp macro m() as 1',
    'create or replace temp view balances as select 1',
    "attach ':memory:' as other",
    'detach ledger',
    'vacuum',
    'analyze',
    'checkpoint',
    'force checkpoint',
    'begin',
    'commit',
    'rollback',
    'delete from balances',
    'explain analyze delete from balances',
    'explain analyze insert into balances select * from balances',
    "explain analyze update balances set coin = 'X'",
    'explain analyze create temp table t as select 1',
    'explain analyze checkpoint',
    'explain explain select 1',
    'truncate balances',
    'drop table balances',
    'alter table balances add column x int',
    "comment on table balances is 'x'",
  ),
  ...plain(
    'is several statements',
    'select 1; drop table balances',
    'explain analyze select 1; drop table balances',
    '/* select */ select 1 /*;*/; checkpoint',
    'select 1 -- \n; commit',
    'pivot balances on coin using sum(quantity)',
    'from (pivot balances on coin in (select coin from balances))',
  ),
]

/** What takes more memory than the engine's own limit sees, of which some is made while a query is only planned. */
export const TOO_LARGE: readonly string[] = [
  "select repeat('x', 1000000000)",
  "select length(repeat('x', 1000000000)) from range(100)",
  "explain select repeat('x', 1000000000) || i from range(10) r(i)",
  "select lpad('x', 1000000000, 'y')",
  'select range(200000000)',
  'select list_transform(range(50000000), lambda x: x::varchar)',
  "with recursive t(n, s) as (select 1, 'x' union all select n + 1, s || s from t where n < 40) select max(length(s)) from t",
  "from range(1000000) a, (select repeat('y', 100000) y)",
  "select string_agg(repeat('x', 100000), '') from range(100000)",
  'select list(i) from range(1000000000) r(i)',
]
