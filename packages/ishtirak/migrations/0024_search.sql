-- oldest-code: 12
-- Users by the beginning of their e-mail address or of any word of their name, in any script. A table of its own, so that a booking,
-- which changes the user's row, touches none of this; a trigger, so that code before keeps it too.

-- Without case and accents; Arabic without vowel signs, tatweel and hamza on its letters, and with one form of alef, yeh, kaf and
-- teh marbuta. Accents go first: lower() knows the letters of ASCII in every locale, others in some.
create function search_key(typed text) returns text language sql immutable strict parallel safe as $$
  select lower(translate(
    regexp_replace(normalize(typed, NFKD), '[\u0300-\u036f\u0640\u064b-\u065f\u0670\u200b-\u200f\u061c]', '', 'g'),
    'ٱىیةک', 'اييهك'))
$$;

-- The words of a name, six at most.
create function search_words(typed text) returns text[] language sql immutable strict parallel safe as $$
  select (array_remove(regexp_split_to_array(search_key(typed), '[\s.,;:''’"()_/·-]+'), ''))[1:6]
$$;

-- The address, and the name from each of its words on, the words before it behind: found by its beginning in any turn.
create function search_keys(name text, email text) returns setof text language sql immutable parallel safe as $$
  select left(search_key(email), 200) where email <> ''
   union
  select left(array_to_string(w[i:] || w[:i - 1], ' '), 200)
    from (select search_words(name) as w) words, generate_subscripts(w, 1) i
$$;

create table user_search (
  user_id text not null,
  -- In the order of code points in every database, so that a beginning is a range.
  key text collate "C" not null,
  primary key (user_id, key)
);

create function keep_user_search() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from user_search where user_id = new.user_id;
  end if;
  insert into user_search (user_id, key) select new.user_id, key from search_keys(new.name, new.email) key;
  return null;
end $$;
create trigger users_are_searched_anew after insert on users
  for each row when (new.name is not null or new.email is not null) execute function keep_user_search();
create trigger users_are_searched_otherwise after update of name, email on users
  for each row when ((old.name, old.email) is distinct from (new.name, new.email)) execute function keep_user_search();

insert into user_search (user_id, key) select u.user_id, key from users u, search_keys(u.name, u.email) key;
create index user_search_by_key on user_search (key, user_id);
