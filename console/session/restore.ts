import { restoreSession } from './access.ts'

void restoreSession()
