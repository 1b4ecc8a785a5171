// The editor of the console: CodeMirror in a shadow root, where its styles need no exception from the page's policy. Tab
// leaves it; Ctrl-Enter runs the query.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { SQLDialect, sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Completion, ConsoleSchema } from '../../pipeline/serve/api.ts'

export interface Editor {
  readonly text: () => string
  /** The selected text, else all of it. */
  readonly chosen: () => string
  readonly replace: (text: string) => void
  readonly insert: (text: string) => void
  readonly know: (schema: ConsoleSchema) => void
  readonly focus: () => void
  readonly destroy: () => void
}

interface Wishes {
  readonly text: string
  readonly onRun: () => void
  readonly onChange: (text: string) => void
  readonly complete: (sql: string, position: number) => Promise<Completion>
}

export function openEditor(host: HTMLElement, { text, onRun, onChange, complete }: Wishes): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const language = new Compartment()
  const words = new Map<string, string>()
  const run = (): boolean => {
    onRun()
    return true
  }
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.matchBefore(/[\w.]+/)
    if (before === null && !context.explicit) return null
    const { suggestions } = await complete(context.state.doc.toString(), context.pos)
    const from = suggestions[0]?.from
    if (from === undefined || context.aborted) return null
    return {
      from,
      options: suggestions
        .filter((one) => one.from === from)
        .map(({ text: label }, at) => ({ label, boost: -at, ...detailOf(label, words) })),
      validFor: /^\w*$/,
    }
  }
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [source], icons: false }),
        language.of(sql({ dialect: dialectOf(null) })),
        syntaxHighlighting(colours),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'SQL', spellcheck: 'false', autocapitalize: 'off' }),
        placeholder('select * from entries order by occurred_at desc'),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
        Prec.highest(
          keymap.of([
            { key: 'Mod-Enter', run },
            { key: 'Ctrl-Enter', run },
          ]),
        ),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
      ],
    }),
  })
  const replace = (insert: string): void => {
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert },
      selection: { anchor: insert.length },
    })
  }
  return {
    text: () => view.state.doc.toString(),
    chosen: () => {
      const { from, to } = view.state.selection.main
      return from === to ? view.state.doc.toString() : view.state.sliceDoc(from, to)
    },
    replace,
    insert: (insert) => {
      view.dispatch(view.state.replaceSelection(insert))
      view.focus()
    },
    know: (schema) => {
      for (const table of schema.tables) {
        words.set(table.name, table.says)
        for (const column of table.columns)
          if (!words.has(column.name)) words.set(column.name, `${column.type} · ${column.says}`)
      }
      view.dispatch({ effects: language.reconfigure(sql({ dialect: dialectOf(schema) })) })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function detailOf(label: string, words: ReadonlyMap<string, string>): { detail?: string } {
  const says = words.get(label.trim())
  return says === undefined ? {} : { detail: says.length > 60 ? `${says.slice(0, 59)}…` : says }
}

/** DuckDB's keywords come from the engine; until they have arrived, those of standard SQL are used. */
function dialectOf(schema: ConsoleSchema | null): SQLDialect {
  const words =
    schema === null
      ? {}
      : { keywords: lower(schema.keywords), builtin: lower(schema.functions), types: lower(schema.types) }
  return SQLDialect.define({
    ...words,
    operatorChars: '*+-%<>!=&|~^/:',
    doubleDollarQuotedStrings: true,
    caseInsensitiveIdentifiers: true,
  })
}

function lower(words: readonly string[]): string {
  return words
    .filter((word) => /^\w+$/.test(word))
    .join(' ')
    .toLowerCase()
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--link)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--warn)' },
  { tag: tags.number, color: 'var(--note)' },
  { tag: [tags.comment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--series-3)' },
])

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--raised)', fontSize: '14px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-1px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.55',
    maxHeight: '40vh',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0', minHeight: '9.5em' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--quiet)', border: 'none' },
  '.cm-placeholder': { color: 'var(--quiet)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    color: 'var(--ink)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-ink)',
  },
  '.cm-completionDetail': {
    color: 'inherit',
    opacity: '0.8',
    fontStyle: 'normal',
    fontFamily: 'var(--sans)',
    fontSize: '12px',
  },
})
