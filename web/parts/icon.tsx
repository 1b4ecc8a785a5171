// The icons of the page, drawn in the colour of the adjacent text.

const PATHS = {
  overview: 'M3 11l7-6 7 6M5 9.5V17h10V9.5',
  accounts: 'M3 17h14M4 8h12M10 3l7 5H3zM5.5 8v9M10 8v9M14.5 8v9',
  ledger: 'M4 3h12v14H4zM7 7h6M7 10h6M7 13h4',
  proof: 'M4 5h5M4 10h8M4 15h4M11.5 15l2 2 4-5',
  lots: 'M3 6.5L10 3l7 3.5-7 3.5zM3 10.2l7 3.5 7-3.5M3 13.8l7 3.2 7-3.2',
  gains: 'M3 15l5-5 3 3 6-7M13 6h4v4',
  breaks: 'M10 3l7.5 13.5h-15zM10 8.5v3.5M10 14v.4',
  coverage: 'M3 5h14v12H3zM3 9h14M7 3v4M13 3v4M6.5 12.5h2M11 12.5h2',
  runs: 'M10 3a7 7 0 1 0 7 7M10 6v4l3 2M13.5 3.5L17 3v3.5',
  filings: 'M5 3h7l3 3v11H5zM12 3v3h3M8 11l1.6 1.6L12.5 9.5',
  console: 'M3 4h14v12H3zM6 8l2.5 2.2L6 12.5M10.5 12.5H14',
  dictionary:
    'M4 4.5C6 3.5 8.5 3.8 10 5c1.5-1.2 4-1.5 6-.5V16c-2-1-4.500-.7-6 .5C8.500 15.300 6 15 4 16zM10 5v11.500',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  download: 'M10 3v9M6.500 9l3.500 3.500L13.500 9M4 16h12',
  sql: 'M4 6l3 4-3 4M9 14h7',
  close: 'M5 5l10 10M15 5L5 15',
  menu: 'M3 5.500h14M3 10h14M3 14.500h14',
  help: 'M7.500 7.500a2.500 2.500 0 1 1 3.600 2.200c-.8.4-1.100.9-1.100 1.800M10 14.200v.4M10 2.500a7.500 7.500 0 1 0 0 15 7.500 7.500 0 0 0 0-15z',
  check: 'M4 10.500l4 4 8-9',
  cross: 'M5 5l10 10M15 5L5 15',
  down: 'M5 8l5 5 5-5',
  next: 'M8 5l5 5-5 5',
  back: 'M12 5l-5 5 5 5',
  note: 'M4 4h12v9l-4 4H4zM16 13h-4v4M7 8h6M7 11h3',
  clock: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 6v4.200l3 1.800',
  link: 'M8.500 11.500l3-3M7 9l-2 2a2.800 2.800 0 0 0 4 4l2-2M13 11l2-2a2.800 2.800 0 0 0-4-4L9 7',
  play: 'M6 4l10 6-10 6z',
  stop: 'M5 5h10v10H5z',
  warning: 'M10 3l7.500 13.500h-15zM10 8.500v3.500M10 14v.4',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
