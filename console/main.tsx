// First: the session is asked for while the texts are loaded, which all other imports wait for.
import './session/restore.ts'

import { render } from 'preact'
import { App } from './app.tsx'
import { showControls } from './shell/show-controls.ts'
import { applyTheme } from './shell/theme.ts'
import { language } from './texts/language.ts'

document.documentElement.lang = language
applyTheme()
showControls()
const root = document.getElementById('app')
if (root) render(<App />, root)
