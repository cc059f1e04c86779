// Of each alert: name, a time at which it is silent, one at which it fires, labels; its summary; and figures,
// one a minute, as `promtool` writes them: `0x5 1+2x3` is 0 six times, then 1, 3, 5, 7.
// `answers` stands for `http_request_duration_seconds_count`.
export const TRIED_ALERTS = `
IshtirakDown 2m 6m severity=page job=ishtirak instance=a
a gives no figures for a minute
up{instance="a"} 1x2 0x3
IshtirakRestarts 4m 8m severity=page job=ishtirak instance=a
a was started 3 times in 15 minutes
process_start_time_seconds{instance="a"} 1 1 2 2 3 3 4 4
IshtirakNotReady 2m 7m severity=page instance=a
a answers 503 at /readyz for two minutes: database or schema
answers{instance="a",route="/readyz",status="503"} 0x2 30 60 90 120 150
IshtirakErrors 6m 18m severity=page
2% of all requests fail
answers{route="/x",status="200"} 0+98x20
answers{route="/x",status="503"} 0x6 2+2x20
answers{route="/readyz",status="503"} 0+500x20
IshtirakWebhooksRefused 5m 10m severity=page
the webhook answered 10 events with 5xx in 10 minutes; they are sent again
answers{route="/api/v1/billing/webhook",status="503"} 0x5 10x5
IshtirakWebhooksMissing 420m 500m severity=page
360 checkouts in 6 hours, and not one event of the provider
ishtirak_checkouts_opened_total{} 0+1x600
ishtirak_provider_events_total{result="accepted"} 0+1x100 100x500
ishtirak_provider_events_total{result="duplicate"} 0x600
IshtirakForgedEvents 5m 15m severity=page
15 events with a wrong signature in 15 minutes: forged, or the key has changed
ishtirak_provider_events_total{result="invalid_signature"} 0x5 15x9
IshtirakCheckoutsFail 5m 10m severity=page
10 purchases failed in 10 minutes
answers{method="POST",route="/api/v1/billing/upgrade",status="503"} 0x5 4x5
answers{instance="a",method="POST",route="/api/v1/billing/payments",status="502"} 0x5 6x5
answers{instance="a",method="GET",route="/api/v1/billing/payments",status="503"} 0+9x12
IshtirakSlow 5m 20m severity=ticket
one call in a hundred takes 2.47s
http_request_duration_seconds_bucket{route="/api/v1/billing/status",le="1"} 0+50x40
http_request_duration_seconds_bucket{route="/api/v1/billing/status",le="2.5"} 0+100x40
http_request_duration_seconds_bucket{route="/api/v1/billing/status",le="+Inf"} 0+100x40
IshtirakPaymentNeedsOperator 55m 70m severity=ticket outcome=review
a payment ended as review
ishtirak_settlements_total{outcome="review"} 0x60 1x60
ishtirak_settlements_total{outcome="booked"} 0+5x120
IshtirakBooksDiffer 55m 70m severity=ticket kind=differs outcome=reported
the reconciliation with the provider found differs: reported
ishtirak_discrepancies_total{kind="differs",outcome="reported"} 0x60 1x60
IshtirakEventsGivenUp 55m 70m severity=page
events to the platform are given up
ishtirak_event_deliveries_total{outcome="endpoint_disabled"} 0x60 1x60
IshtirakEventsFail 10m 40m severity=ticket
75% of the attempts to deliver an event to the platform fail
ishtirak_event_deliveries_total{outcome="failed"} 0+3x60
ishtirak_event_deliveries_total{outcome="delivered"} 0+1x60
IshtirakEventsWait 60m 80m severity=ticket
an event has waited for the platform for 1h 14m 0s
ishtirak_events_oldest_age_seconds{instance="a"} 0x5 0+60x120
IshtirakInboxWaits 24h 30h severity=ticket kind=transfer_proof
transfer_proof has waited in the inbox for 1d 6h 0m 0s
ishtirak_inbox_oldest_age_seconds{kind="transfer_open"} 0+60x1900
ishtirak_inbox_oldest_age_seconds{kind="transfer_proof"} 0+60x1900
IshtirakProviderDown 14m 20m severity=page instance=a
a: the provider does not answer, or refuses the key, for 5 minutes
ishtirak_provider_up{instance="a"} NaN 1x10 0x20
ishtirak_provider_up{instance="b"} 1x40
IshtirakJobLate 15m 25m severity=page instance=a name=check-due-payments
a: check-due-payments had its last round 15m 0s ago
ishtirak_job_last_round_timestamp_seconds{instance="a",name="check-due-payments"} 0+60x10 600x30
ishtirak_job_interval_seconds{instance="a",name="check-due-payments"} 10x40
ishtirak_job_last_round_timestamp_seconds{instance="a",name="forget-mail"} 0x40
ishtirak_job_interval_seconds{instance="a",name="forget-mail"} 3600x40
IshtirakJobFails 9m 35m severity=ticket instance=a name=send-mail
a: send-mail fails
ishtirak_job_failing{instance="a",name="send-mail"} 0x5 1x3 0x5 1x30
IshtirakMailFails 55m 70m severity=ticket
12 mails failed in an hour
ishtirak_mails_total{outcome="failed"} 0x60 6x60
ishtirak_mails_total{outcome="refused"} 0x60 6x60
IshtirakMemory 8m 30m severity=ticket job=ishtirak instance=a
a holds 450MiB
process_resident_memory_bytes{instance="a"} 300000000x10 471859200x30
IshtirakBusy 8m 30m severity=ticket job=ishtirak instance=a
a keeps requests waiting for 750ms: more instances
nodejs_eventloop_lag_p99_seconds{instance="a"} 0.01x10 0.75x30
`
