# A class of a module that only the module may use.
include ntp::install
include mysql::server::install
