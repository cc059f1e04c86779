-- oldest-code: 12
-- The W3C `traceparent` that a purchase goes on with: from the click to the settlement, and from there to the event that
-- tells of it. Empty where no traces are collected; code before writes and reads neither.
alter table payments add column traceparent text;
alter table outbox add column traceparent text;
