class { 'java': }
tomcat::install { '/opt/t': source_url => 'https://x/apache-tomcat-9.tar.gz' }
tomcat::instance { 'd': catalina_home => '/opt/t', catalina_base => '/opt/d' }
tomcat::config::server { 'd': catalina_base => '/opt/d', port => 8105 }
tomcat::config::server::connector { 'h': catalina_base => '/opt/d', port => 8180, protocol => 'HTTP/1.1', additional_attributes => { 'redirectPort' => '8543', 'x' => 'y' } }
tomcat::war { 'a.war': catalina_base => '/opt/d', war_source => '/x/a.war' }
tomcat::setenv::entry { 'J': value => ['-a', '-b'] , config_file => '/e' }
tomcat::config::server::valve { 'v': catalina_base => '/opt/d', class_name => 'c', resource_type => 'Context', additional_attributes => { 'p' => 'q' } }
tomcat::config::context::environment { 'e': type => 'java.lang.String', value => 'v', catalina_base => '/opt/d' }
