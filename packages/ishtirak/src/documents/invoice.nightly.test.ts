// invoice.system tests the documents in Arabic; this tests them in the other languages.
import { describeDocuments } from '../../../../test/support/printed-documents.js'

describeDocuments('fr')
describeDocuments('en')
