-- Role and database on a PostgreSQL 15 or later of this machine, once: sudo -u postgres psql < database.sql
create role ishtirak login password '0123456789abcdef';
create database ishtirak owner ishtirak;
