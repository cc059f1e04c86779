// The vector published with the contract, as PHP writes it, checked with node:crypto and openssl.

export const VECTOR_KEY = 'test_sk_emulatorvector000000000000000000000000'
export const VECTOR_SIGNATURE = 'fa0a629beae568d90b31ec4578a177edfcdd20b2caf691b9007bb2c39ca72ef6'

/** One line on the wire; broken here to be read. */
export const VECTOR_BODY = String.raw`
{"id":"01hf7yb8mr000000000000evt1","entity":"event","type":"checkout.paid",
"data":{"id":"01hf7yat00000000000000chk1","fees":0,"amount":2000,"entity":"checkout",
"locale":"ar","status":"paid","currency":"dzd","discount":null,"livemode":false,
"metadata":{"plan":"pro","invoice_id":"inv_42"},"created_at":1700000000,"invoice_id":null,
"updated_at":1700000015,"customer_id":"01hf7msmc0000000000000cst1",
"description":"\u062e\u0637\u0629 pro","failure_url":"https:\/\/app.example.dz\/billing\/ko",
"success_url":"https:\/\/app.example.dz\/billing\/ok",
"checkout_url":"https:\/\/pay.chargily.dz\/test\/checkouts\/01hf7yat00000000000000chk1\/pay",
"payment_method":"edahabia","payment_link_id":null,"fees_on_customer":0,"fees_on_merchant":0,
"shipping_address":null,"webhook_endpoint":null,"pass_fees_to_customer":null,
"amount_without_discount":0,"collect_shipping_address":0,
"chargily_pay_fees_allocation":"merchant"},"created_at":1700000015,"updated_at":1700000015,
"livemode":false}
`.replaceAll('\n', '')
