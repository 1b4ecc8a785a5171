// Entry point of the page.
import { render } from 'preact'
import { App } from './shell/app.tsx'
import { listenToKeys } from './shell/keys.ts'
import { showUnprintable } from './shell/unprintable.ts'
import { followServer } from './state/books.ts'
import { followLinks } from './state/router.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts/button.css'
import './styles/parts/amount.css'
import './styles/parts/marks.css'
import './styles/parts/section.css'
import './styles/parts/table.css'
import './styles/parts/filters.css'
import './styles/parts/states.css'
import './styles/charts.css'
import './styles/views/common.css'
import './styles/views/overview.css'
import './styles/views/ledger.css'
import './styles/views/proof.css'
import './styles/views/breaks.css'
import './styles/views/coverage.css'
import './styles/views/console.css'
import './styles/views/dictionary.css'
import './styles/print.css'

showUnprintable()
// Links work without this; it only avoids reloading the page.
addEventListener('click', followLinks)
listenToKeys()
followServer()
render(<App />, document.querySelector('#page') as HTMLElement)
