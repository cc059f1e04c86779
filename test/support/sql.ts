import { assembled, type Statement } from '../../packages/ishtirak/src/database/database.js'

/** Two tests with the same text share its plan. */
export const sql = (text: string): Statement => assembled('test.made', text)
