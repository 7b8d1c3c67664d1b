/** The prompts of the command. Named one by one: a build includes the whole of a module that is loaded as a namespace. */
export { confirm, isCancel, password, text } from '@clack/prompts'
