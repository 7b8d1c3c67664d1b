import { render } from 'preact'
import { App } from './app.tsx'
import { showControls } from './shell/show-controls.ts'
import { applyTheme } from './shell/theme.ts'

applyTheme()
showControls()
const root = document.getElementById('app')
if (root) render(<App />, root)
