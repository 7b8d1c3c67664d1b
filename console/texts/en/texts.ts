import type { TextTools } from '../tools.ts'
import { door } from './door.ts'
import { frame } from './frame.ts'
import { library } from './library.ts'
import { money } from './money.ts'
import { order } from './order.ts'
import { store } from './store.ts'

/**
 * The texts of the first load in English: a file for each subject. Another language is a folder with the same names
 * (docs/languages.md). Short sentences in the present tense: the situation first, then what to do.
 */
export const texts = (tools: TextTools) => ({
  ...frame(tools),
  ...door(tools),
  ...store(tools),
  ...order(tools),
  ...library(tools),
  ...money(tools),
})

/** What every language has: the same names, and functions of the same values. */
export type Texts = ReturnType<typeof texts>
