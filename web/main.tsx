// Where the page begins.
import { render } from 'preact'
import { App } from './shell/app.tsx'
import { listenToKeys } from './shell/keys.ts'
import { followServer } from './state/books.ts'
import { followLinks } from './state/router.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/charts.css'
import './styles/views.css'

// Links work by themselves; this only saves loading the page anew.
addEventListener('click', followLinks)
listenToKeys()
followServer()
render(<App />, document.querySelector('#page') as HTMLElement)
