//! The names of the methods of Ruby's basic classes, so that a misspelled one is not taken for one that is not known here.

/// Methods of texts, numbers, lists, hashes, ranges and patterns of Ruby 3.1 and its usual libraries.
pub const METHODS: &str = "\
    abs abs2 all? allbits? angle any? anybits? append arg ascii_only? assoc at b begin between? bit_length \
    bsearch bsearch_index bytes bytesize byteslice capitalize capitalize! captures casecmp casecmp? \
    casefold? ceil center chain chars chomp chomp! chop chop! chr chunk chunk_while clamp class clear clone \
    codepoints coerce collect collect! collect_concat combination compact compact! compare_by_identity \
    compare_by_identity? concat conj conjugate count cover? crypt cycle deconstruct deconstruct_keys \
    deep_merge deep_merge! default default= default_proc default_proc= define_singleton_method delete \
    delete! delete_at delete_if delete_prefix delete_prefix! delete_suffix delete_suffix! denominator detect \
    difference dig digits display div divmod downcase downcase! downto drop drop_while dump dup each \
    each_byte each_char each_codepoint each_cons each_entry each_grapheme_cluster each_index each_key \
    each_line each_pair each_slice each_value each_with_index each_with_object empty? encode encode! \
    encoding end end_with? entries enum_for eql? equal? even? except exclude_end? extend fdiv fetch \
    fetch_values fill filter filter! filter_map find find_all find_index finite? first fixed_encoding? \
    flat_map flatten flatten! floor force_encoding freeze frozen? gcd gcdlcm getbyte grapheme_clusters grep \
    grep_v group_by gsub gsub! has_key? has_value? hash hex i id2name imag imaginary include? index \
    infinite? inject insert inspect instance_eval instance_exec instance_of? instance_variable_defined? \
    instance_variable_get instance_variable_set instance_variables integer? intern intersect? intersection \
    invert is_a? itself join keep_if key key? keys kind_of? last lazy lcm length lines ljust lstrip lstrip! \
    magnitude map map! match match? match_length max max_by member? merge merge! method methods min min_by \
    minmax minmax_by modulo name named_captures names nan? negative? next next! next_float nil? nobits? \
    none? nonzero? numerator object_id oct odd? offset one? options ord pack partition permutation phase \
    polar pop positive? post_match pow pre_match pred prepend pretty_inspect prev_float private_methods \
    product protected_methods public_method public_methods public_send push quo rassoc rationalize real \
    real? rect rectangular reduce regexp rehash reject reject! remainder remove_instance_variable \
    repeated_combination repeated_permutation replace respond_to? reverse reverse! reverse_each rindex rjust \
    rotate rotate! round rpartition rstrip rstrip! sample scan scrub scrub! select select! send setbyte \
    shellescape shellsplit shift shuffle shuffle! singleton_class singleton_method singleton_method_added \
    singleton_methods size slice slice! slice_after slice_before slice_when sort sort! sort_by sort_by! \
    source split squeeze squeeze! start_with? step store string strip strip! sub sub! succ succ! sum \
    swapcase swapcase! taint tainted? take take_while tally tap then times to_a to_ary to_c to_d to_enum \
    to_f to_h to_hash to_i to_int to_json to_proc to_r to_s to_set to_str to_sym to_yaml tr tr! tr_s tr_s! \
    transform_keys transform_keys! transform_values transform_values! transpose truncate trust undump \
    unicode_normalize unicode_normalize! unicode_normalized? union uniq uniq! unpack unpack1 unshift untaint \
    untrust untrusted? upcase upcase! update upto valid_encoding? value? values values_at yield_self zero? \
    zip \
    ";
